// The evidence as a graph: anchors, the way, the answer; only what the answer rests on, until a click asks for more.

import cytoscape, { type Core, type ElementDefinition } from "cytoscape";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Reply, neighbourhood } from "./api";
import type { Lighting } from "./answer";

/** Edges drawn before someone asks for more: beyond, nobody reads it. */
const MOST_EDGES = 24;
/** Neighbours that a click adds. */
const MOST_ADDED = 8;

interface Edge {
  id: string;
  from: string;
  to: string;
  relation: string;
}

interface Picture {
  names: Map<string, { name: string; literal: boolean }>;
  edges: Edge[];
}

/** The triples that the answer rests on: the cited ones, and the way from the anchors to them. */
export function picture(reply: Reply, anchors: string[]): Picture {
  const names: Picture["names"] = new Map();
  const edges = reply.evidence.flatMap((piece): Edge[] => {
    if (piece.kind !== "triple") return [];
    const [from, to] = [piece.keys?.[0] ?? piece.head, piece.keys?.[2] ?? piece.tail];
    names.set(from, { name: piece.head, literal: false });
    if (!names.has(to)) names.set(to, { name: piece.tail, literal: false });
    return [{ id: piece.id, from, to, relation: piece.relation }];
  });
  const cited = edges.filter((edge) => reply.citations.includes(edge.id));
  const starts = [...names].filter(([, node]) => anchors.includes(node.name)).map(([key]) => key);
  const chosen = new Map(cited.map((edge) => [edge.id, edge]));
  for (const edge of cited) {
    for (const step of wayTo(edges, starts, [edge.from, edge.to])) chosen.set(step.id, step);
  }
  if (!chosen.size) edges.filter((edge) => starts.includes(edge.from)).forEach((edge) => chosen.set(edge.id, edge));
  return { names, edges: [...chosen.values()].slice(0, MOST_EDGES) };
}

/** The shortest way along edges, in either direction, from one of the starts to one of the ends. */
function wayTo(edges: Edge[], starts: string[], ends: string[]): Edge[] {
  const came = new Map<string, Edge | null>(starts.map((start) => [start, null]));
  const queue = [...starts];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    if (ends.includes(at)) {
      const way: Edge[] = [];
      for (let edge = came.get(at); edge; edge = came.get(at)) {
        way.push(edge);
        at = edge.from === at ? edge.to : edge.from;
      }
      return way;
    }
    for (const edge of edges) {
      const next = edge.from === at ? edge.to : edge.to === at ? edge.from : null;
      if (next !== null && !came.has(next)) {
        came.set(next, edge);
        queue.push(next);
      }
    }
  }
  return [];
}

export function Graph(props: Lighting & { reply: Reply; anchors: string[]; explore: (id: string) => void }) {
  const { reply, anchors, lit, setLit, explore } = props;
  const place = useRef<HTMLDivElement>(null);
  const core = useRef<Core | null>(null);
  const [picked, setPicked] = useState<{ key: string; name: string } | null>(null);
  const [said, setSaid] = useState("");
  const drawn = useRef(picture(reply, anchors)).current;
  // Before the next painting, not after it: a citation, its sentence and its edge light up together.
  useLayoutEffect(() => {
    if (!drawn.edges.length || !place.current) return;
    const graph = draw(place.current, drawn, reply, anchors);
    core.current = graph;
    graph.on("mouseover", "edge", (event) => setLit(event.target.id()));
    graph.on("mouseout", "edge", () => setLit(null));
    graph.on("tap", "edge", (event) => setLit(event.target.id()));
    graph.on("tap", "node", (event) => setPicked({ key: event.target.id(), name: event.target.data("name") }));
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const restyle = () => graph.style(style());
    dark.addEventListener("change", restyle);
    // For the tests, which cannot look at a canvas.
    Object.assign(place.current, { graph });
    return () => {
      dark.removeEventListener("change", restyle);
      graph.destroy();
    };
  }, []);
  useLayoutEffect(() => {
    core.current?.elements().removeClass("lit");
    if (lit) core.current?.getElementById(lit).addClass("lit").connectedNodes().addClass("lit");
  }, [lit]);
  if (!drawn.edges.length) return null;
  const expand = async () => {
    if (!picked || !core.current) return;
    try {
      const added = await grow(core.current, picked.key, reply.workspace);
      setSaid(added ? `${added} more around ${picked.name}` : `Nothing more around ${picked.name}`);
    } catch {
      setSaid(`${picked.name} is a value: nothing is around it`);
    }
  };
  const nodes = [...new Set(drawn.edges.flatMap((edge) => [edge.from, edge.to]))];
  return (
    <div role="group" class="graph" aria-label="Evidence as a graph">
      <h3>Graph</h3>
      <div class="canvas" ref={place} role="img" aria-label={describe(drawn)} />
      <div class="graph-tools">
        <label>
          Node{" "}
          <select
            value={picked?.key ?? ""}
            onChange={(event) => {
              const key = event.currentTarget.value;
              setPicked(key ? { key, name: drawn.names.get(key)!.name } : null);
            }}
          >
            <option value="">none</option>
            {nodes.map((key) => (
              <option key={key} value={key}>
                {drawn.names.get(key)!.name}
              </option>
            ))}
            {picked && !nodes.includes(picked.key) && <option value={picked.key}>{picked.name}</option>}
          </select>
        </label>
        <button type="button" disabled={!picked} onClick={expand}>
          Show more around it
        </button>
        <button type="button" disabled={!picked} onClick={() => picked && explore(picked.key)}>
          Look at it
        </button>
        <span role="status" class="faint">
          {said}
        </span>
      </div>
    </div>
  );
}

/** The picture in words, for those who do not see it. */
function describe({ names, edges }: Picture): string {
  const name = (key: string) => names.get(key)!.name;
  return edges.map((edge) => `${name(edge.from)}, ${edge.relation}, ${name(edge.to)}`).join("; ");
}

function draw(place: HTMLElement, drawn: Picture, reply: Reply, anchors: string[]): Core {
  const keys = [...new Set(drawn.edges.flatMap((edge) => [edge.from, edge.to]))];
  const role = (name: string) => (anchors.includes(name) ? "anchor" : reply.answers.includes(name) ? "answer" : "way");
  const nodes: ElementDefinition[] = keys.map((key) => {
    const { name } = drawn.names.get(key)!;
    return { data: { id: key, name }, classes: role(name) };
  });
  const edges: ElementDefinition[] = drawn.edges.map((edge) => ({
    data: { id: edge.id, source: edge.from, target: edge.to, name: edge.relation },
  }));
  return cytoscape({
    container: place,
    elements: [...nodes, ...edges],
    style: style(),
    layout: layout(nodes.length, keys.filter((key) => anchors.includes(drawn.names.get(key)!.name))),
    minZoom: 0.3,
    maxZoom: 2,
    userZoomingEnabled: false,
    autoungrabify: false,
  });
}

function layout(nodes: number, roots: string[]): cytoscape.LayoutOptions {
  if (nodes <= 16 && roots.length) {
    return { name: "breadthfirst", roots: roots as never, directed: false, spacingFactor: 1.6, padding: 24, animate: false };
  }
  return { name: "cose", randomize: false, animate: false, padding: 24, nodeRepulsion: () => 90000, idealEdgeLength: () => 110 };
}

/** Adds neighbours of a node; gives how many. */
async function grow(graph: Core, key: string, workspace: string): Promise<number> {
  const { relations } = await neighbourhood(key, workspace);
  let added = 0;
  for (const relation of relations) {
    for (const node of relation.neighbours) {
      const id = node.id ?? node.name;
      if (added >= MOST_ADDED || graph.getElementById(id).nonempty()) continue;
      const [source, target] = relation.direction === "forward" ? [key, id] : [id, key];
      graph.add({ data: { id, name: node.name }, classes: "added" });
      graph.add({ data: { id: `${source} ${relation.id} ${target}`, source, target, name: relation.relation }, classes: "added" });
      added += 1;
    }
  }
  if (added) graph.layout({ ...layout(99, []), fit: true } as cytoscape.LayoutOptions).run();
  return added;
}

/** Colours from the page's own; roles by shape too, for those who do not tell colours apart. */
function style(): cytoscape.StylesheetJson {
  const css = getComputedStyle(document.documentElement);
  const colour = (name: string) => css.getPropertyValue(name).trim();
  const label = { "text-wrap": "wrap", "text-max-width": "120px", color: colour("--text"), "font-size": 12 } as const;
  const backed = { "text-background-color": colour("--paper"), "text-background-opacity": 0.9, "text-background-padding": "2px" } as const;
  return [
    {
      selector: "node",
      style: {
        ...label,
        ...backed,
        label: "data(name)",
        "text-valign": "bottom",
        "text-margin-y": 5,
        width: 20,
        height: 20,
        "background-color": colour("--faint"),
        "border-width": 2,
        "border-color": colour("--paper"),
      },
    },
    { selector: "node.anchor", style: { shape: "diamond", width: 28, height: 28, "background-color": colour("--anchor") } },
    { selector: "node.answer", style: { shape: "star", width: 32, height: 32, "background-color": colour("--good") } },
    {
      selector: "edge",
      style: {
        ...label,
        ...backed,
        label: "data(name)",
        "font-size": 10,
        width: 2,
        "curve-style": "bezier",
        "line-color": colour("--line"),
        "target-arrow-color": colour("--line"),
        "target-arrow-shape": "triangle",
      },
    },
    { selector: ".added", style: { opacity: 0.75, "line-style": "dashed" } },
    { selector: "edge.lit", style: { width: 4, "line-color": colour("--accent"), "target-arrow-color": colour("--accent") } },
    { selector: "node.lit", style: { "border-color": colour("--accent"), "border-width": 3 } },
  ] as cytoscape.StylesheetJson;
}

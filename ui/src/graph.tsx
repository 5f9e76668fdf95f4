// The evidence as a graph: the question's entities, the path, the answer. A click on a node shows
// its neighbours.

import { useMemo, useState } from "preact/hooks";
import { type Reply, neighbourhood } from "./api";
import type { Lighting } from "./answer";
import { Diagram } from "./diagram";
import type { DiagramEdge, DiagramNode } from "./layout";

/** Edges drawn before "more" is pressed; more are unreadable. */
const MOST_EDGES = 24;
/** Neighbours added by a click, and the number of nodes at which adding stops. */
const MOST_ADDED = 12;
const MOST_NODES = 240;

interface Picture {
  nodes: DiagramNode[];
  edges: DiagramEdge[];
  roots: string[];
}

/** The triples behind the answer: the cited ones, and the paths from the anchors to them. */
export function picture(reply: Reply, anchors: string[]): Picture {
  const names = new Map<string, string>();
  const edges = reply.evidence.flatMap((piece): DiagramEdge[] => {
    if (piece.kind !== "triple") return [];
    const [from, to] = [piece.keys?.[0] ?? piece.head, piece.keys?.[2] ?? piece.tail];
    // A literal belongs to its head: an equal height must not connect two towns.
    const literal = piece.keys && piece.keys[2] === piece.tail && Number.isFinite(Number(piece.tail));
    const end = literal ? `${from} ${piece.relation} ${to}` : to;
    names.set(from, piece.head);
    if (!names.has(end)) names.set(end, piece.tail);
    return [{ id: piece.id, from, to: end, relation: piece.relation.replaceAll("_", " ") }];
  });
  const cited = edges.filter((edge) => reply.citations.includes(edge.id));
  const roots = [...names].filter(([, name]) => anchors.includes(name)).map(([key]) => key);
  const chosen = new Map(cited.map((edge) => [edge.id, edge]));
  for (const edge of cited) {
    for (const step of wayTo(edges, roots, [edge.from, edge.to])) chosen.set(step.id, step);
  }
  if (!chosen.size) edges.filter((edge) => roots.includes(edge.from)).forEach((edge) => chosen.set(edge.id, edge));
  const drawn = [...chosen.values()].slice(0, MOST_EDGES);
  const answers = new Set(reply.answers);
  const ends = [...new Set(drawn.flatMap(({ from, to }) => [from, to]))];
  const role = (id: string) => (answers.has(names.get(id)!) ? "answer" : roots.includes(id) ? "anchor" : "way");
  const nodes = ends.map((id): DiagramNode => ({ id, name: names.get(id)!, role: role(id) }));
  const goals = nodes.filter((node) => node.role === "answer").map((node) => node.id);
  const path = new Set(goals.flatMap((goal) => wayTo(drawn, roots, [goal])).map((edge) => edge.id));
  return { nodes, edges: drawn.map((edge) => ({ ...edge, path: path.has(edge.id) })), roots };
}

/** The shortest path, in either direction of edges, from one of the starts to one of the ends. */
function wayTo(edges: DiagramEdge[], starts: string[], ends: string[]): DiagramEdge[] {
  const came = new Map<string, DiagramEdge | null>(starts.map((start) => [start, null]));
  const queue = [...starts];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    if (ends.includes(at)) {
      const way: DiagramEdge[] = [];
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
  const first = useMemo(() => picture(reply, anchors), [reply]);
  const [drawn, setDrawn] = useState(first);
  const [picked, setPicked] = useState<DiagramNode | null>(null);
  const [said, setSaid] = useState("");
  if (!drawn.edges.length) return null;
  const pick = async (id: string) => {
    const node = drawn.nodes.find((known) => known.id === id)!;
    setPicked(node);
    try {
      const grown = await grow(drawn, id, reply.workspace);
      const added = grown.nodes.length - drawn.nodes.length;
      setDrawn(grown);
      setSaid(added ? `${added} more neighbours of ${node.name}` : `${node.name} has no more neighbours`);
    } catch {
      setSaid(`${node.name} is a value: it has no neighbours`);
    }
  };
  return (
    <section class="graph" aria-label="Evidence as a graph">
      <h3>Graph</h3>
      <Diagram label={describe(drawn)} {...drawn} lit={lit} setLit={setLit} act="Show more around" pick={pick} picked={picked?.id} />
      <div class="graph-tools">
        <span class="key">
          <i class="anchor" /> asked about <i class="answer" /> answer
        </span>
        {picked && (
          <button type="button" onClick={() => explore(picked.id)}>
            Look at {picked.name}
          </button>
        )}
        {drawn !== first && (
          <button type="button" onClick={() => setDrawn(first)}>
            Reset
          </button>
        )}
        <span role="status" class="faint">
          {said || "Click a node to see its neighbours."}
        </span>
      </div>
    </section>
  );
}

/** The picture in words, for screen readers. */
function describe({ nodes, edges }: Picture): string {
  const name = new Map(nodes.map((node) => [node.id, node.name]));
  const told = edges.slice(0, MOST_EDGES).map((edge) => `${name.get(edge.from)}, ${edge.relation}, ${name.get(edge.to)}`);
  return `Graph: ${told.join("; ")}`;
}

/** Adds the neighbours of a node to the picture. */
async function grow(drawn: Picture, key: string, workspace: string): Promise<Picture> {
  const { relations } = await neighbourhood(key, workspace);
  const [nodes, edges] = [[...drawn.nodes], [...drawn.edges]];
  const known = new Set(nodes.map((node) => node.id));
  let added = 0;
  for (const { id: relation, relation: name, direction, neighbours } of relations) {
    for (const neighbour of neighbours) {
      const id = neighbour.id ?? `${key} ${relation} ${neighbour.name}`;
      if (known.has(id) || added >= MOST_ADDED || nodes.length >= MOST_NODES) continue;
      known.add(id);
      added += 1;
      nodes.push({ id, name: neighbour.name, role: "added" });
      const [from, to] = direction === "forward" ? [key, id] : [id, key];
      edges.push({ id: `${from} ${relation} ${to}`, from, to, relation: name.replaceAll("_", " ") });
    }
  }
  return { ...drawn, nodes, edges };
}

// A diagram of nodes and arrows as SVG: each node is reachable by keyboard, and each arrow is part
// of the document.

import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { type DiagramEdge, type DiagramNode, arrange } from "./layout";
import { useWidth } from "./width";

/** Limits of the scale at which a diagram is fitted. */
const SCALE = { least: 0.8, most: 1.15, zoomed: 3 };

interface Props {
  label: string;
  nodes: DiagramNode[];
  edges: DiagramEdge[];
  roots: string[];
  /** The highlighted edge. */
  lit?: string | null;
  setLit?: (id: string | null) => void;
  /** The effect of a click on a node, as a word ("Expand"). */
  act: string;
  pick: (id: string) => void;
  picked?: string | null;
}

export function Diagram({ label, nodes, edges, roots, lit, setLit, act, pick, picked }: Props) {
  const layout = useMemo(() => arrange(nodes, edges, roots), [nodes, edges, roots.join()]);
  const [box, width] = useWidth<HTMLDivElement>();
  const [zoom, setZoom] = useState(1);
  const fit = Math.min(SCALE.most, Math.max(SCALE.least, (width - 4) / layout.width));
  const scale = fit * zoom;
  // Scrolls to the selected node, else to the middle.
  useLayoutEffect(() => {
    const element = box.current;
    const rings = layout.nodes.some((node) => node.turn !== undefined);
    if (element && rings) element.scrollLeft = (layout.width * scale - element.clientWidth) / 2;
    const centre = layout.nodes.find((node) => node.id === picked) ?? { y: layout.height / 2 };
    if (element) element.scrollTop = centre.y * scale - element.clientHeight / 2;
  }, [layout, width > 0]);
  const kindOf = (edge: DiagramEdge) => (edge.id === lit ? "lit" : edge.path ? "path" : "plain");
  // Important edges are drawn last, above the others.
  const order = ["plain", "path", "lit"];
  const drawn = [...layout.edges].sort((one, other) => order.indexOf(kindOf(one.edge)) - order.indexOf(kindOf(other.edge)));
  const ends = new Set(edges.filter((edge) => edge.id === lit).flatMap((edge) => [edge.from, edge.to]));
  return (
    <div class="diagram">
      <div class="canvas" ref={box} tabIndex={0} role="group" aria-label={label}>
        <svg width={layout.width * scale} height={layout.height * scale} viewBox={`0 0 ${layout.width} ${layout.height}`}>
          <defs>
            {["plain", "path", "lit"].map((kind) => (
              <marker key={kind} id={`arrow-${kind}`} class={`arrow ${kind}`} viewBox="0 0 10 10" refX="9" refY="5" markerWidth="11" markerHeight="11" markerUnits="userSpaceOnUse" orient="auto">
                <path d="M0,0 L10,5 L0,10 z" />
              </marker>
            ))}
          </defs>
          {drawn.map(({ edge, line }) => {
            const kind = kindOf(edge);
            return (
              <path
                key={edge.id}
                class={`edge ${kind}`}
                data-edge={edge.id}
                d={line}
                marker-end={`url(#arrow-${kind})`}
                onMouseEnter={() => setLit?.(edge.id)}
                onMouseLeave={() => setLit?.(null)}
              />
            );
          })}
          {layout.labels.map((placed, at) => (
            <g key={at} class={`edge-label ${placed.edges.includes(lit ?? "") ? "lit" : ""}`} transform={`translate(${placed.x},${placed.y}) rotate(${upright(placed.turn)})`}>
              <rect x={-placed.width / 2} y={-9} width={placed.width} height={18} rx={4} />
              <text text-anchor="middle" dominant-baseline="central">
                {placed.text}
              </text>
            </g>
          ))}
          {layout.nodes.map((node) => (
            <g
              key={node.id}
              class={`node ${node.role} ${node.id === picked ? "picked" : ""} ${ends.has(node.id) ? "lit" : ""}`}
              data-node={node.id}
              data-name={node.name}
              transform={`translate(${node.x},${node.y}) rotate(${upright(node.turn)})`}
              role="button"
              tabIndex={0}
              onClick={() => pick(node.id)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                pick(node.id);
              }}
            >
              <title>{[act, node.name, node.note].filter(Boolean).join(" ")}</title>
              <rect x={outwards(node)} y={-node.height / 2} width={node.width} height={node.height} rx={14} />
              <text x={outwards(node) + node.width / 2} y={node.note ? -7 : 0} text-anchor="middle" dominant-baseline="central">
                {node.shown}
              </text>
              {node.note && (
                <text class="note" x={outwards(node) + node.width / 2} y={11} text-anchor="middle" dominant-baseline="central">
                  {node.note}
                </text>
              )}
            </g>
          ))}
        </svg>
      </div>
      <div class="zoom">
        <button type="button" aria-label="Larger" disabled={zoom >= SCALE.zoomed} onClick={() => setZoom(zoom * 1.25)}>
          +
        </button>
        <button type="button" aria-label="Smaller" disabled={scale <= 0.2} onClick={() => setZoom(zoom / 1.25)}>
          −
        </button>
      </div>
    </div>
  );
}

/** Turns a text by 180 degrees if it would be upside down. */
function upright(turn = 0): number {
  return turn > 90 && turn < 270 ? turn - 180 : turn;
}

/** The left edge of a node's box: centred on its place, or outwards from it on a ring. */
function outwards({ turn, width }: { turn?: number; width: number }): number {
  if (turn === undefined) return -width / 2;
  return turn > 90 && turn < 270 ? -width : 0;
}

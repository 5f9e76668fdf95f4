// Positions of a diagram's nodes, edges and labels: layers from left to right, or rings if a layer
// would be too long.

import { cut } from "./format";
import { textWidth } from "./width";

export interface DiagramNode {
  id: string;
  name: string;
  /** A second, fainter line. */
  note?: string;
  role: "anchor" | "answer" | "way" | "added";
}

export interface DiagramEdge {
  id: string;
  from: string;
  to: string;
  relation: string;
  /** Whether it belongs to the path of the answer. */
  path?: boolean;
}

export interface PlacedNode extends DiagramNode {
  x: number;
  y: number;
  width: number;
  height: number;
  shown: string;
  /** Rotation of the text in degrees, in rings. */
  turn?: number;
}

export interface PlacedLabel {
  x: number;
  y: number;
  width: number;
  text: string;
  turn?: number;
  /** The edges that it labels. */
  edges: string[];
}

export interface Layout {
  nodes: PlacedNode[];
  edges: { edge: DiagramEdge; line: string }[];
  labels: PlacedLabel[];
  width: number;
  height: number;
}

const NAME = { size: 13, most: 28 };
const LABEL = { size: 11, most: 26, height: 18 };
const ROW = 14;
const MARGIN = 16;
/** Most nodes of a layer that stay readable as a list. */
const LONGEST_LAYER = 40;

interface Ranked {
  depth: Map<string, number>;
  parent: Map<string, string>;
}

/** The distance of each node from the roots, and the neighbour that led to it. */
function rank(nodes: DiagramNode[], edges: DiagramEdge[], roots: string[]): Ranked {
  const near = new Map<string, string[]>(nodes.map((node) => [node.id, []]));
  for (const { from, to } of edges) {
    near.get(from)?.push(to);
    near.get(to)?.push(from);
  }
  const [depth, parent] = [new Map<string, number>(), new Map<string, string>()];
  const walk = (starts: string[]) => {
    const queue = starts.filter((id) => near.has(id) && !depth.has(id));
    queue.forEach((id) => depth.set(id, 0));
    for (let at = 0; at < queue.length; at += 1) {
      for (const next of near.get(queue[at])!) {
        if (depth.has(next)) continue;
        depth.set(next, depth.get(queue[at])! + 1);
        parent.set(next, queue[at]);
        queue.push(next);
      }
    }
  };
  walk(roots);
  // A component without a root starts at its best connected node.
  const rest = [...nodes].sort((one, other) => near.get(other.id)!.length - near.get(one.id)!.length);
  for (const node of rest) walk([node.id]);
  return { depth, parent };
}

function sized(node: DiagramNode): PlacedNode {
  const shown = cut(node.name, NAME.most);
  const note = node.note ? textWidth(node.note, LABEL.size) : 0;
  // Both ends of the path are set in bold.
  const bold = node.role === "anchor" || node.role === "answer" ? 1.1 : 1;
  const width = Math.max(textWidth(shown, NAME.size) * bold, note) + 24;
  return { ...node, shown, x: 0, y: 0, width, height: node.note ? 42 : 28 };
}

/** Edges of one relation that share an end and lead to one layer are one bundle, with one label. */
function bundles(edges: DiagramEdge[], depth: Map<string, number>): DiagramEdge[][] {
  const left: DiagramEdge[] = [...edges];
  const made: DiagramEdge[][] = [];
  while (left.length) {
    const [first] = left;
    const fits = (end: "from" | "to") => {
      const other = end === "from" ? "to" : "from";
      return left.filter(
        (edge) =>
          edge.relation === first.relation &&
          edge[end] === first[end] &&
          edge.from !== edge.to === (first.from !== first.to) &&
          depth.get(edge[other]) === depth.get(first[other]),
      );
    };
    const [out, into] = [fits("from"), fits("to")];
    const bundle = out.length >= into.length ? out : into;
    made.push(bundle);
    bundle.forEach((edge) => left.splice(left.indexOf(edge), 1));
  }
  return made;
}

export function arrange(nodes: DiagramNode[], edges: DiagramEdge[], roots: string[]): Layout {
  const ranked = rank(nodes, edges, roots);
  const layers: PlacedNode[][] = [];
  for (const node of nodes) (layers[ranked.depth.get(node.id)!] ??= []).push(sized(node));
  const longest = Math.max(0, ...layers.map((layer) => layer.length));
  return longest > LONGEST_LAYER ? rings(layers, edges, ranked) : columns(layers, edges, ranked);
}

/** Layers as columns. Labels stand in the gaps between them, each below the other. */
function columns(layers: PlacedNode[][], edges: DiagramEdge[], { depth, parent }: Ranked): Layout {
  const order = new Map<string, number>();
  layers.forEach((layer) => {
    // Placed beside their parents, in the parents' order.
    layer.sort((one, other) => (order.get(parent.get(one.id)!) ?? 0) - (order.get(parent.get(other.id)!) ?? 0));
    layer.forEach((node, at) => order.set(node.id, at));
  });
  const tall = (layer: PlacedNode[]) => layer.reduce((sum, node) => sum + node.height + ROW, -ROW);
  const all = bundles(edges, depth);
  const gapOf = (edge: DiagramEdge) => Math.min(depth.get(edge.from)!, depth.get(edge.to)!);
  const gaps: DiagramEdge[][][] = layers.map(() => []);
  all.forEach((bundle) => gaps[gapOf(bundle[0])].push(bundle));
  const height = Math.max(
    ...layers.map(tall),
    ...gaps.map((inGap) => inGap.length * LABEL.height),
    28,
  );
  const byId = new Map<string, PlacedNode>();
  const [starts, widths]: [number[], number[]] = [[], []];
  let x = MARGIN;
  layers.forEach((layer, at) => {
    const width = Math.max(...layer.map((node) => node.width));
    let y = MARGIN + (height - tall(layer)) / 2;
    for (const node of layer) {
      Object.assign(node, { x: x + width / 2, y: y + node.height / 2 });
      y += node.height + ROW;
      byId.set(node.id, node);
    }
    starts.push(x + width);
    const labels = gaps[at].map((bundle) => textWidth(cut(bundle[0].relation, LABEL.most), LABEL.size));
    const gap = labels.length ? Math.max(110, ...labels.map((label) => label + 84)) : 0;
    widths.push(gap);
    x += width + gap;
  });
  const drawn: Layout["edges"] = [];
  const labels: PlacedLabel[] = [];
  gaps.forEach((inGap, at) => {
    const centre = starts[at] + widths[at] / 2;
    const wanted = inGap.map((bundle) => {
      const ys = bundle.map(({ from, to }) => (byId.get(from)!.y + byId.get(to)!.y) / 2);
      return { bundle, y: ys.reduce((sum, y) => sum + y, 0) / ys.length };
    });
    wanted.sort((one, other) => one.y - other.y);
    apart(wanted, LABEL.height, MARGIN + LABEL.height / 2, MARGIN + height - LABEL.height / 2);
    for (const { bundle, y } of wanted) {
      const text = cut(bundle[0].relation, LABEL.most);
      const width = textWidth(text, LABEL.size) + 8;
      labels.push({ x: centre, y, width, text, edges: bundle.map((edge) => edge.id) });
      for (const edge of bundle) drawn.push({ edge, line: through(byId.get(edge.from)!, byId.get(edge.to)!, centre, y, width) });
    }
  });
  return { nodes: [...byId.values()], edges: drawn, labels, width: x + MARGIN, height: height + 2 * MARGIN };
}

/** Spreads sorted positions to a least distance, within bounds. */
function apart(things: { y: number }[], distance: number, top: number, bottom: number) {
  let from = top;
  for (const thing of things) {
    thing.y = Math.max(thing.y, from);
    from = thing.y + distance;
  }
  let to = bottom;
  for (const thing of [...things].reverse()) {
    thing.y = Math.min(thing.y, to);
    to = thing.y - distance;
  }
}

/** A line from the side of one node through its label to the side of another. */
function through(from: PlacedNode, to: PlacedNode, x: number, y: number, width: number): string {
  const side = (node: PlacedNode) => (node.x < x ? node.x + node.width / 2 : node.x - node.width / 2);
  const [x1, x2] = [side(from), side(to)];
  // Both ends on one side: a loop around the label.
  if ((from.x < x) === (to.x < x)) {
    const shift = from.id === to.id ? 6 : 0;
    return `M${x1},${from.y - shift} C${x - 10},${from.y - shift} ${x},${(from.y + y) / 2} ${x},${y} S${x - 10},${to.y + shift} ${x2},${to.y + shift}`;
  }
  const towards = x1 < x2 ? 1 : -1;
  const half = width / 2;
  const [enter, leave] = [x - towards * half, x + towards * half];
  const bend = (one: number, other: number) => (one + other) / 2;
  return (
    `M${x1},${from.y} C${bend(x1, enter)},${from.y} ${bend(x1, enter)},${y} ${enter},${y} ` +
    `L${leave},${y} C${bend(leave, x2)},${y} ${bend(leave, x2)},${to.y} ${x2},${to.y}`
  );
}

/** The point of a node's box where a line to another node leaves it. */
function rim(node: PlacedNode, other: PlacedNode, outwards: boolean): { x: number; y: number } {
  if (node.turn !== undefined) {
    const [turn, length] = [(node.turn * Math.PI) / 180, outwards ? node.width : 0];
    return { x: node.x + length * Math.cos(turn), y: node.y + length * Math.sin(turn) };
  }
  const [east, south] = [other.x - node.x, other.y - node.y];
  const sides = [east && node.width / 2 / Math.abs(east), south && node.height / 2 / Math.abs(south)];
  const share = Math.min(1, ...sides.filter((side) => side > 0));
  return { x: node.x + share * east, y: node.y + share * south };
}

/** Arranges a large layer as rings around the root, with texts outwards. */
function rings(layers: PlacedNode[][], edges: DiagramEdge[], { depth, parent }: Ranked): Layout {
  const relationTo = new Map<string, string>();
  for (const edge of edges) {
    const [child, other] = depth.get(edge.to)! > depth.get(edge.from)! ? [edge.to, edge.from] : [edge.from, edge.to];
    if (parent.get(child) === other) relationTo.set(child, relationTo.get(child) ?? edge.relation);
  }
  const children = new Map<string, PlacedNode[]>();
  layers.slice(1).flat().forEach((node) => {
    const of = parent.get(node.id)!;
    children.set(of, [...(children.get(of) ?? []), node]);
  });
  for (const list of children.values()) {
    list.sort((one, other) => (relationTo.get(one.id) ?? "").localeCompare(relationTo.get(other.id) ?? ""));
  }
  const leaves = (node: PlacedNode): number =>
    children.get(node.id)?.reduce((sum, child) => sum + leaves(child), 0) ?? 1;
  const total = layers[0].reduce((sum, root) => sum + leaves(root), 0);
  const arc = LABEL.height + 4;
  const first = Math.max(250, (total * arc) / (2 * Math.PI) / 0.62);
  const longest = Math.max(...layers.slice(1).flat().map((node) => node.width), 80);
  const ring = (at: number) => (at ? first + (at - 1) * (longest + 170) : layers[0].length > 1 ? 60 : 0);
  const outer = ring(layers.length - 1) + longest + MARGIN;
  const angle = new Map<string, number>();
  const byId = new Map<string, PlacedNode>();
  const place = (node: PlacedNode, from: number, to: number, at: number) => {
    const middle = (from + to) / 2;
    angle.set(node.id, middle);
    Object.assign(node, { x: outer + ring(at) * Math.cos(middle), y: outer + ring(at) * Math.sin(middle) });
    if (at) node.turn = (middle * 180) / Math.PI;
    byId.set(node.id, node);
    let start = from;
    for (const child of children.get(node.id) ?? []) {
      const share = ((to - from) * leaves(child)) / leaves(node);
      place(child, start, start + share, at + 1);
      start += share;
    }
  };
  let start = 0;
  for (const root of layers[0]) {
    const share = (2 * Math.PI * leaves(root)) / total;
    place(root, start, start + share, 0);
    start += share;
  }
  const drawn = edges.map((edge) => {
    const [from, to] = [byId.get(edge.from)!, byId.get(edge.to)!];
    const deeper = depth.get(edge.to)! - depth.get(edge.from)!;
    // Nodes are drawn above lines, and an arrowhead within a box would be hidden.
    const [start, end] = [rim(from, to, deeper > 0), rim(to, from, deeper < 0)];
    return { edge, line: `M${start.x},${start.y} L${end.x},${end.y}` };
  });
  const labels = bundles(edges.filter((edge) => depth.get(edge.from) !== depth.get(edge.to)), depth).flatMap((bundle) => {
    const deeper = bundle.map(({ from, to }) => (depth.get(from)! > depth.get(to)! ? from : to));
    const [one, other] = [depth.get(deeper[0])!, byId.get(parent.get(deeper[0])!)!];
    const turns = deeper.map((id) => angle.get(id)!);
    const middle = turns[Math.floor(turns.length / 2)];
    const at = one === 1 ? first * 0.68 : ring(one) - 80;
    const text = cut(bundle[0].relation, 20);
    const turn = (middle * 180) / Math.PI;
    const width = textWidth(text, LABEL.size) + 8;
    return other ? [{ x: outer + at * Math.cos(middle), y: outer + at * Math.sin(middle), width, text, turn, edges: bundle.map((edge) => edge.id) }] : [];
  });
  return { nodes: [...byId.values()], edges: drawn, labels, width: 2 * outer, height: 2 * outer };
}

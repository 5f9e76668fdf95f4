// Charts of an answer's values: bars for categories, a line over time, a line of dates, a map.

import { feature } from "topojson-client";
import land from "world-atlas/land-110m.json";
import type { Column, Place, Shown, Value } from "./api";
import { cut, grouped, isNumber, shownValue, step, yearsOf } from "./format";
import { textWidth, useWidth } from "./width";

/** Most rows that a chart shows separately. */
const MOST_BARS = 30;
const MOST_DATES = 24;

/** Number of periods in a histogram of dates. */
const PERIODS = 12;

export interface Chart {
  kind: "bars" | "line" | "dates";
  labels: (Value | null)[];
  values: number[];
  column: Column;
  texts: string[];
  /** What the chart shows if it does not show every row. */
  caption?: string;
}

/** The chart for the values: a category or a date with a number, or dates alone. */
export function chartOf({ columns, rows }: Shown): Chart | null {
  const at = (fits: (column: Column) => boolean) => columns.findIndex(fits);
  const isAmount = (column: Column) => column.kind === "number" && !column.plain;
  // What decided the rows says most: the population of the largest cities.
  const decided = at((column) => isAmount(column) && !!column.decided);
  const number = decided >= 0 ? decided : at(isAmount);
  const date = at((column) => column.kind === "date");
  const label = at((column) => column.kind === "entity" || column.kind === "text");
  const take = (of: number, read: (value: Value) => number | null, by: number) => {
    const whole = rows.filter((row) => row[of] && (by < 0 || row[by]));
    const values = whole.map((row) => read(row[of]!));
    if (whole.length < 2 || values.some((value) => value === null)) return null;
    const texts = whole.map((row) => shownValue(row[of]!, columns[of]));
    return { labels: whole.map((row) => row[by] ?? null), values: values as number[], column: columns[of], texts };
  };
  const numeric = (value: Value) => (isNumber(value) ? Number(value.name) : null);
  if (number >= 0 && date >= 0 && label < 0) {
    const taken = take(number, numeric, date);
    return taken && { kind: "line", ...taken };
  }
  if (number >= 0 && label >= 0) {
    const taken = take(number, numeric, label);
    return taken && greatest({ kind: "bars", ...taken });
  }
  if (date >= 0 && label >= 0) {
    const taken = take(date, (value) => yearsOf(value.name), label);
    return taken && (taken.values.length > MOST_DATES ? periods(taken.values, taken.column) : { kind: "dates", ...taken });
  }
  return null;
}

/** Keeps the longest bars, as many as stay readable. */
function greatest(chart: Chart): Chart {
  const { labels, values, texts } = chart;
  if (values.length <= MOST_BARS) return chart;
  const order = values.map((_, at) => at).sort((one, other) => values[other] - values[one]);
  const kept = order.slice(0, MOST_BARS);
  const caption = `The ${MOST_BARS} greatest of ${values.length}`;
  return { ...chart, labels: kept.map((at) => labels[at]), values: kept.map((at) => values[at]), texts: kept.map((at) => texts[at]), caption };
}

/** A histogram of dates by periods of whole years. */
function periods(years: number[], { title }: Column): Chart {
  const size = Math.max(1, step(Math.max(...years) - Math.min(...years), PERIODS));
  const of = (year: number) => Math.floor(year / size);
  const [first, last] = [of(Math.min(...years)), of(Math.max(...years))];
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const name = (period: number) => (size === 1 ? `${period}` : `${period * size} to ${period * size + size - 1}`);
  const values = numbers.map((period) => years.filter((year) => of(year) === period).length);
  return {
    kind: "bars",
    labels: numbers.map((period) => ({ name: name(period) })),
    values,
    column: { title, kind: "number" },
    texts: values.map(String),
    caption: `Number by ${title}`,
  };
}

export function ChartView({ chart }: { chart: Chart }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const draw = { bars: Bars, line: Line, dates: Dates }[chart.kind];
  const Drawing = draw as typeof Bars;
  const title = { bars: "Bars", line: "Over time", dates: "Timeline" }[chart.kind];
  const told = chart.labels.map((label, at) => `${label?.name ?? "none"}: ${chart.texts[at]}`).join("; ");
  return (
    <div class="chart" data-chart={chart.kind} ref={place} role="img" aria-label={`${title} of ${chart.column.title}: ${told}`}>
      {chart.caption && <p class="faint">{chart.caption}</p>}
      {width > 0 && <Drawing chart={chart} width={width} />}
    </div>
  );
}

interface Drawn {
  chart: Chart;
  width: number;
}

function Bars({ chart: { labels, values, texts }, width }: Drawn) {
  const row = 26;
  const names = labels.map((label) => cut(label?.name ?? "—", width < 480 ? 16 : 28));
  const left = Math.max(...names.map((name) => textWidth(name, 13))) + 10;
  const right = Math.max(...texts.map((text) => textWidth(text, 12))) + 10;
  const [least, greatest] = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = Math.max(20, width - left - right);
  const x = (value: number) => left + ((value - least) / (greatest - least || 1)) * room;
  return (
    <svg width={width} height={values.length * row}>
      {values.map((value, at) => (
        <g key={at} transform={`translate(0,${at * row})`}>
          <text x={left - 8} y={row / 2} text-anchor="end" dominant-baseline="central">
            {names[at]}
          </text>
          <rect class="bar" x={Math.min(x(0), x(value))} y={4} width={Math.max(1, Math.abs(x(value) - x(0)))} height={row - 8} rx={2} />
          <text class="note" x={Math.max(x(0), x(value)) + 6} y={row / 2} dominant-baseline="central">
            {texts[at]}
          </text>
        </g>
      ))}
    </svg>
  );
}

function Line({ chart: { labels, values }, width }: Drawn) {
  const [height, bottom] = [220, 26];
  const points = labels
    .map((label, at) => ({ year: yearsOf(label?.name ?? "") ?? at, value: values[at] }))
    .sort((one, other) => one.year - other.year);
  const [least, greatest] = [Math.min(...values, 0), Math.max(...values)];
  const size = step(greatest - least || 1, 4);
  const ticks = Array.from({ length: Math.floor((greatest - least) / size) + 1 }, (_, at) => least + at * size);
  const left = Math.max(...ticks.map((tick) => textWidth(grouped(String(tick)), 12))) + 10;
  const [first, last] = [points[0].year, points.at(-1)!.year];
  const x = (year: number) => left + ((year - first) / (last - first || 1)) * (width - left - 20);
  const y = (value: number) => height - bottom - ((value - least) / (greatest - least || 1)) * (height - bottom - 10);
  return (
    <svg width={width} height={height}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={left} x2={width} y1={y(tick)} y2={y(tick)} />
          <text class="note" x={left - 6} y={y(tick)} text-anchor="end" dominant-baseline="central">
            {grouped(String(tick))}
          </text>
        </g>
      ))}
      <polyline class="line" points={points.map(({ year, value }) => `${x(year)},${y(value)}`).join(" ")} />
      {points.map(({ year, value }, at) => (
        <circle key={at} class="dot" cx={x(year)} cy={y(value)} r={3.5} />
      ))}
      <text class="note" x={left} y={height - 6}>
        {Math.floor(first)}
      </text>
      <text class="note" x={width} y={height - 6} text-anchor="end">
        {Math.floor(last)}
      </text>
    </svg>
  );
}

/** Dates on a line, the earliest at the left. Each name has its own row, so that names do not overlap. */
function Dates({ chart: { labels, values, texts }, width }: Drawn) {
  const row = 24;
  const dates = values.map((year, at) => ({ year, text: `${labels[at]?.name ?? "—"} · ${texts[at]}` }));
  dates.sort((one, other) => one.year - other.year);
  const [first, last] = [dates[0].year, dates.at(-1)!.year];
  const room = width - 24;
  const x = (year: number) => 12 + ((year - first) / (last - first || 1)) * room;
  const height = dates.length * row + 24;
  return (
    <svg width={width} height={height}>
      <line class="grid" x1={12} x2={12 + room} y1={height - 18} y2={height - 18} />
      {dates.map(({ year, text }, at) => {
        const shown = cut(text, Math.floor(width / 8));
        const before = x(year) > width / 2;
        return (
          <g key={at}>
            <line class="grid" x1={x(year)} x2={x(year)} y1={at * row + 12} y2={height - 18} />
            <circle class="dot" cx={x(year)} cy={at * row + 12} r={4} />
            <text x={before ? x(year) - 9 : x(year) + 9} y={at * row + 12} text-anchor={before ? "end" : "start"} dominant-baseline="central">
              {shown}
            </text>
          </g>
        );
      })}
      <text class="note" x={12} y={height - 3}>
        {Math.floor(first)}
      </text>
      <text class="note" x={12 + room} y={height - 3} text-anchor="end">
        {Math.floor(last)}
      </text>
    </svg>
  );
}

/** Degrees north below which a ring runs along the pole. */
const POLE = -85;

/** Outlines of the land in degrees, drawn once. */
let outline = "";
function outlines(): string {
  if (outline) return outline;
  const { features } = feature(land, land.objects.land);
  const ring = (points: [number, number][]) => {
    let shift = 0;
    const unwound = points.map(([east, north], at) => {
      const [before, south] = points[Math.max(0, at - 1)];
      // At the date line the ring continues beyond it; along the pole the line is drawn as it is.
      if (Math.abs(east - before) > 180 && Math.min(north, south) > POLE) shift += east < before ? 360 : -360;
      return `${(east + shift).toFixed(2)},${(-north).toFixed(2)}`;
    });
    return `M${unwound.join("L")}Z`;
  };
  outline = features.flatMap(({ geometry }) => geometry.coordinates.flatMap((polygon) => polygon.map(ring))).join("");
  return outline;
}

export function WorldMap({ places, explore }: { places: Place[]; explore: (id: string) => void }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const [norths, easts] = [places.map((one) => one.latitude), places.map((one) => one.longitude)];
  const [centreX, centreY] = [(Math.min(...easts) + Math.max(...easts)) / 2, -(Math.min(...norths) + Math.max(...norths)) / 2];
  // At least 24 degrees, so that some coast shows the location; at most the world.
  const wanted = Math.max(24, (Math.max(...easts) - Math.min(...easts)) * 1.4, (Math.max(...norths) - Math.min(...norths)) * 2.8);
  const [degrees, height] = [Math.min(360, wanted), Math.round(width / 2)];
  const west = Math.max(-180, Math.min(180 - degrees, centreX - degrees / 2));
  const north = Math.max(-90, Math.min(90 - degrees / 2, centreY - degrees / 4));
  const k = width / degrees;
  const x = (east: number) => (east - west) * k;
  const y = (of: number) => (-of - north) * k;
  const size = step(degrees, 6);
  const lines = Array.from({ length: Math.ceil(360 / size) + 1 }, (_, at) => -180 + at * size);
  return (
    <div class="chart map" data-chart="map" ref={place}>
      {width > 0 && (
        <svg width={width} height={height} role="group" aria-label={`Map of ${places.length} places`}>
          <g transform={`scale(${k}) translate(${-west},${-north})`}>
            {[-360, 0, 360].map((shift) => (
              <path key={shift} class="land" d={outlines()} transform={`translate(${shift},0)`} vector-effect="non-scaling-stroke" />
            ))}
            {lines.map((line) => (
              <g key={line}>
                <line class="grid" x1={line} x2={line} y1={-90} y2={90} vector-effect="non-scaling-stroke" />
                <line class="grid" x1={-180} x2={180} y1={line} y2={line} vector-effect="non-scaling-stroke" />
              </g>
            ))}
          </g>
          {labelled(places, x, y, width).map(({ id, name, left, top, shown, before }) => (
            <g key={id} class="place" role="button" tabIndex={0} onClick={() => explore(id)} onKeyDown={(event) => event.key === "Enter" && explore(id)}>
              <title>Look at {name}</title>
              <circle class="dot" cx={left} cy={top} r={5} />
              {shown && (
                <text x={before ? left - 9 : left + 9} y={top} text-anchor={before ? "end" : "start"} dominant-baseline="central">
                  {name}
                </text>
              )}
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

/** Half the width of a place on the map with its margin, and the distance of its name. */
const DOT = { half: 6, name: 7 };

/**
 * Places on the map. A name stands right or left of its place, where it overlaps nothing. A name
 * without such a side is left out.
 */
function labelled(places: Place[], x: (east: number) => number, y: (north: number) => number, width: number) {
  const dots = places.map(({ latitude, longitude }) => {
    const left = x(longitude);
    return { from: left - DOT.half, to: left + DOT.half, top: y(latitude) };
  });
  const taken: typeof dots = [];
  return places.map(({ id, name, latitude, longitude }, at) => {
    const [left, top, wide] = [x(longitude), y(latitude), textWidth(name, 12) + 12];
    const sides = [
      { from: left + DOT.name, to: left + wide, top, before: false },
      { from: left - wide, to: left - DOT.name, top, before: true },
    ];
    const side = sides.find(({ from, to }) => {
      const free = (other: (typeof dots)[number]) =>
        Math.abs(other.top - top) > 15 || other.to < from || other.from > to;
      const others = dots.filter((_, other) => other !== at);
      return from >= 0 && to <= width && [...taken, ...others].every(free);
    });
    if (side) taken.push(side);
    return { id, name, left, top, shown: side !== undefined, before: side?.before ?? false };
  });
}

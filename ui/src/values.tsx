// The values of an answer as a sortable table, with the values that decided.

import { useState } from "preact/hooks";
import type { Column, Reply, Shown, Value } from "./api";
import { isNumber, shownValue, yearsOf } from "./format";

/** Rows shown before "more" is pressed. */
const SHOWN = 25;
/** Values of one column that still read well as a sentence. */
const MOST_IN_A_SENTENCE = 10;

/** The answer's values for display; built from its table if the server sends nothing else. */
export function shownOf({ shown, table }: Reply): Shown | null {
  if (shown?.rows.length) return shown;
  if (!table?.rows.length) return shown ?? null;
  const { columns, rows, ordered, left_out } = table;
  const kindOf = (at: number): Column["kind"] => {
    const values = rows.flatMap((row) => row[at] ?? []);
    if (values.length && values.every((value) => value.key !== undefined)) return "entity";
    return values.length && values.every(isNumber) ? "number" : "text";
  };
  const described = columns.map((title, at): Column => ({ title, kind: kindOf(at) }));
  return { columns: described, rows, ordered, left_out, places: shown?.places ?? [] };
}

/** Whether a table tells more than the answer's words. */
export function isTable(shown: Shown | null, { table, answers }: Reply): shown is Shown {
  if (!shown?.rows.length) return false;
  const { columns, rows } = shown;
  const own = table?.columns.length ?? columns.length;
  if (own > 1 || rows.length > MOST_IN_A_SENTENCE) return true;
  if (rows.length > 1 && columns.length > 1) return true;
  const listed = rows.length === answers.length && rows.every(([value], at) => value?.name === answers[at]);
  return rows.length > 1 && !listed;
}

interface Sorting {
  column: number;
  descending: boolean;
}

interface Props {
  shown: Pick<Shown, "columns" | "rows" | "ordered" | "left_out">;
  explore: (id: string) => void;
  /** Content after the first entity of a row. */
  behind?: (row: (Value | null)[]) => preact.ComponentChild;
  /** Sorting by the caller, if the rows are one page of many. */
  sorting?: Sorting | null;
  sort?: (sorting: Sorting) => void;
}

export function Values({ shown, explore, behind, sorting, sort }: Props) {
  const [all, setAll] = useState(false);
  const [own, setOwn] = useState<Sorting | null>(null);
  const { columns, rows, left_out } = shown;
  const by = sorting === undefined ? own : sorting;
  const ordered = by && sorting === undefined ? sorted(rows, columns[by.column], by) : rows;
  const seen = all || sort ? ordered : ordered.slice(0, SHOWN);
  const held = columns.map((_, column) => seen.flatMap((row) => row[column] ?? []));
  const shared = held.map(namesakes);
  const ranked = shown.ordered && !by;
  const first = Math.max(0, columns.findIndex(({ kind }) => kind === "entity"));
  const press = (column: number) => (sort ?? setOwn)(next(by, column, columns[column]));
  return (
    <>
      <div role="group" class="values" aria-label="Values" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {ranked && (
                <th scope="col" class="number">
                  #
                </th>
              )}
              {columns.map((column, at) => (
                <th
                  key={at}
                  scope="col"
                  class={`${column.kind === "number" ? "number" : ""} ${column.decided ? "decided" : ""}`}
                  aria-sort={by?.column === at ? (by.descending ? "descending" : "ascending") : "none"}
                >
                  <button type="button" class="head" onClick={() => press(at)}>
                    {column.title || "value"}
                    <span aria-hidden="true">{by?.column === at ? (by.descending ? " ▾" : " ▴") : ""}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {seen.map((row, at) => (
              <tr key={at}>
                {ranked && <td class="number faint">{at + 1}</td>}
                {columns.map((column, place) => (
                  <td key={place} class={column.kind === "number" ? "number" : ""}>
                    <Cell value={row[place] ?? null} column={column} shared={shared[place]} explore={explore} />
                    {place === first && behind?.(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {seen.length < rows.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {rows.length} rows
        </button>
      )}
      {left_out > 0 && (
        <p class="faint">
          At least {left_out} more row{left_out === 1 ? " was" : "s were"} found and left out.
        </p>
      )}
    </>
  );
}

/** Sorts numbers from the greatest, names from the first; a second press reverses the order. */
function next(by: Sorting | null | undefined, column: number, { kind }: Column): Sorting {
  return { column, descending: by?.column === column ? !by.descending : kind === "number" };
}

/** Compares rows; rows without a value come last in both directions. */
function sorted(rows: (Value | null)[][], { kind }: Column, { column, descending }: Sorting) {
  const weigh = ({ name }: Value) => (kind === "number" ? Number(name) : kind === "date" ? yearsOf(name) : null);
  return [...rows].sort((one, other) => {
    const [a, b] = [one[column], other[column]];
    if (!a || !b) return Number(!a) - Number(!b);
    const [x, y] = [weigh(a), weigh(b)];
    const order = x !== null && y !== null ? x - y : a.name.localeCompare(b.name, undefined, { numeric: true });
    return descending ? -order : order;
  });
}

interface CellProps {
  value: Value | null;
  column: Column;
  shared: Set<string>;
  explore: (id: string) => void;
}

function Cell({ value, column, shared, explore }: CellProps) {
  if (!value) {
    return (
      <>
        <span aria-hidden="true">—</span>
        <span class="sr">no value</span>
      </>
    );
  }
  const { key, name } = value;
  if (key === undefined) return <>{shownValue(value, column)}</>;
  return (
    <>
      <button type="button" class="plain" onClick={() => explore(key)}>
        {name}
      </button>
      {shared.has(name) && <span class="faint"> {key}</span>}
    </>
  );
}

/** Names shared by several entities, which are shown with their keys. */
function namesakes(values: Value[]): Set<string> {
  const keys = new Map<string, string>();
  const shared = new Set<string>();
  for (const { key, name } of values) {
    if (key === undefined) continue;
    if ((keys.get(name) ?? key) !== key) shared.add(name);
    keys.set(name, key);
  }
  return shared;
}

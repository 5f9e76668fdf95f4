// The values of an answer as a table.

import { useState } from "preact/hooks";
import type { AnswerTable, Reply, Value } from "./api";

/** Rows shown before someone asks for more. */
const SHOWN = 25;
/** Values of one column that still read well as a sentence. */
const MOST_IN_A_SENTENCE = 10;
/** Characters of a number; what is longer is text. */
const LONGEST_NUMBER = 24;

/** The answer's table, where it says more than the answer's words, which list the same values. */
export function tableOf({ table, answers }: Reply): AnswerTable | null {
  if (!table?.rows.length) return null;
  const { columns, rows } = table;
  if (columns.length > 1 || rows.length > MOST_IN_A_SENTENCE) return table;
  const listed = rows.length === answers.length && rows.every(([value], at) => value?.name === answers[at]);
  return rows.length > 1 && !listed ? table : null;
}

export function Values({ table, explore }: { table: AnswerTable; explore: (id: string) => void }) {
  const [all, setAll] = useState(false);
  const { columns, rows, ordered, left_out } = table;
  const shown = all ? rows : rows.slice(0, SHOWN);
  const held = columns.map((_, column) => shown.flatMap((row) => row[column] ?? []));
  const shared = held.map(namesakes);
  const numbers = held.map((values) => values.length > 0 && values.every(isNumber));
  return (
    <>
      <div role="group" class="values" aria-label="Values" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {ordered && (
                <th scope="col" class="number">
                  #
                </th>
              )}
              {columns.map((title, column) => (
                <th key={column} scope="col" class={numbers[column] ? "number" : ""}>
                  {title || "value"}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr key={at}>
                {ordered && <td class="number faint">{at + 1}</td>}
                {columns.map((_, column) => (
                  <td key={column} class={numbers[column] ? "number" : ""}>
                    <Cell value={row[column] ?? null} shared={shared[column]} explore={explore} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < rows.length && (
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

function Cell({ value, shared, explore }: { value: Value | null; shared: Set<string>; explore: (id: string) => void }) {
  if (!value) {
    return (
      <>
        <span aria-hidden="true">—</span>
        <span class="sr">no value</span>
      </>
    );
  }
  const { key, name } = value;
  if (key === undefined) return <>{name}</>;
  return (
    <>
      <button type="button" class="plain" onClick={() => explore(key)}>
        {name}
      </button>
      {shared.has(name) && <span class="faint"> {key}</span>}
    </>
  );
}

/** Names that stand for several entities: there the key tells which is meant. */
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

function isNumber({ key, name }: Value): boolean {
  return key === undefined && name.length <= LONGEST_NUMBER && name.trim() !== "" && Number.isFinite(Number(name));
}

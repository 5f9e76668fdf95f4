// The differences between the answers of two methods.

import type { Reply } from "./api";
import { Values } from "./values";

interface Props {
  one: Reply;
  other: Reply;
}

export function Differences({ one, other }: Props) {
  const [left, right] = [new Set(one.answers), new Set(other.answers)];
  const both = one.answers.filter((value) => right.has(value));
  const only = { one: one.answers.filter((value) => !right.has(value)), other: other.answers.filter((value) => !left.has(value)) };
  const same = !only.one.length && !only.other.length;
  const list = (values: string[]) => (values.length ? values.slice(0, 12).join(", ") + (values.length > 12 ? ", …" : "") : "nothing");
  const cost = ({ usage }: Reply) => [String(usage.llm_calls), usage.seconds.toFixed(2)];
  const row = (title: string, ...cells: string[]) => [title, ...cells].map((name) => ({ name }));
  const [calls, seconds] = [0, 1].map((at) => [cost(one)[at], cost(other)[at]]);
  return (
    <section class="run differences" aria-label="Differences">
      <h2>{same ? (both.length ? "The answers are the same" : "Neither has an answer") : "The answers differ"}</h2>
      {!same && (
        <ul>
          <li>
            <b>Both:</b> {list(both)}
          </li>
          <li>
            <b>Only {one.method}:</b> {list(only.one)}
          </li>
          <li>
            <b>Only {other.method}:</b> {list(only.other)}
          </li>
        </ul>
      )}
      <Values
        shown={{
          columns: ["aspect", one.method, other.method].map((title) => ({ title, kind: "text" as const })),
          rows: [
            row("reading", one.readings?.[0]?.words ?? "—", other.readings?.[0]?.words ?? "—"),
            row("values", one.trust?.values ?? one.reason ?? "—", other.trust?.values ?? other.reason ?? "—"),
            row("certainty", one.trust?.reading ?? "—", other.trust?.reading ?? "—"),
            row("model calls", ...calls),
            row("seconds", ...seconds),
          ],
          ordered: false,
          left_out: 0,
        }}
        explore={() => undefined}
      />
    </section>
  );
}

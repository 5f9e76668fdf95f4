// SPARQL by hand: a query, its rows as a table, and as CSV.

import { useState } from "preact/hooks";
import { type Value, sparql } from "./api";
import { Values } from "./values";

const FIRST = "SELECT ?thing ?relation ?value WHERE {\n  ?thing ?relation ?value\n}\nLIMIT 25";
const JSON_ROWS = "application/sparql-results+json";
const XSD = "http://www.w3.org/2001/XMLSchema#";
const NUMBERS = ["integer", "decimal", "double", "float", "int", "long", "nonNegativeInteger"];

interface Term {
  type: string;
  value: string;
  datatype?: string;
}

interface Result {
  columns: string[];
  rows: (Value | null)[][];
  /** The text of a result without rows: yes or no, or triples. */
  text?: string;
}

function read(type: string, text: string): Result {
  if (!type.includes("json")) return { columns: [], rows: [], text };
  const { head, results, boolean } = JSON.parse(text);
  if (boolean !== undefined) return { columns: [], rows: [], text: boolean ? "yes" : "no" };
  const columns: string[] = head.vars;
  const cell = (term?: Term): Value | null =>
    !term ? null : term.type === "literal" ? { name: term.value, datatype: term.datatype } : { key: term.value, name: term.value };
  const rows = results.bindings.map((row: Record<string, Term>) => columns.map((name) => cell(row[name])));
  return { columns, rows };
}

function isNumeric(rows: Result["rows"], column: number): boolean {
  const values = rows.flatMap((row) => row[column] ?? []);
  return values.length > 0 && values.every(({ datatype }) => NUMBERS.some((name) => datatype === XSD + name));
}

export function Sparql({ workspace, explore }: { workspace?: string; explore: (id: string) => void }) {
  const [query, setQuery] = useState(FIRST);
  const [result, setResult] = useState<Result | null>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const run = async (event?: Event) => {
    event?.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      const { type, text } = await sparql(query, `${JSON_ROWS}, text/turtle;q=0.5`, workspace);
      setResult(read(type, text));
    } catch (error) {
      setResult(null);
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  const save = async () => {
    try {
      const { text } = await sparql(query, "text/csv", workspace);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
      link.download = `${workspace ?? "rows"}.csv`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const columns = result?.columns.map((title, at) => ({ title, kind: isNumeric(result.rows, at) ? ("number" as const) : ("text" as const), plain: true }));
  return (
    <section class="sparql" aria-label="SPARQL">
      <h2>SPARQL</h2>
      <form onSubmit={run}>
        <label for="sparql">Query</label>
        <textarea
          id="sparql"
          rows={8}
          spellcheck={false}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && run(event)}
        />
        <div class="row">
          <button type="submit" class="main" disabled={busy}>
            Run
          </button>
          <span class="faint">Ctrl+Enter also runs it.</span>
        </div>
      </form>
      {busy && <p role="status">Running the query…</p>}
      {problem && (
        <p role="alert" class="badge failed">
          {problem}
        </p>
      )}
      {result?.text !== undefined && <pre>{result.text}</pre>}
      {result && columns && columns.length > 0 && (
        <>
          <p role="status">
            {result.rows.length} row{result.rows.length === 1 ? "" : "s"}{" "}
            <button type="button" onClick={save}>
              Save as CSV
            </button>
          </p>
          {result.rows.length > 0 && (
            <Values shown={{ columns, rows: result.rows, ordered: false, left_out: 0 }} explore={explore} />
          )}
        </>
      )}
    </section>
  );
}

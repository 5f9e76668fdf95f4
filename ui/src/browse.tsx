// The explorer: types with their rows, relations with counts, entities by name.

import { useEffect, useState } from "preact/hooks";
import { type Overview, type TableRows, overview as readOverview, tableRows } from "./api";
import { count } from "./format";
import { Values } from "./values";

const PAGE = 25;

interface Props {
  workspace?: string;
  table: string | null;
  showTable: (id: string | null) => void;
  explore: (id: string | null) => void;
}

export function Browse({ workspace, table, showTable, explore }: Props) {
  const [held, setHeld] = useState<Overview | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    readOverview(workspace).then(
      (read) => {
        setHeld(read);
        setProblem("");
      },
      (error) => setProblem(error.message),
    );
  }, [workspace]);
  if (problem) return <p role="alert">{problem}</p>;
  if (!held) return <p role="status">Loading the graph's types and relations…</p>;
  return (
    <div class="browse">
      <div class="row">
        <h2>Explore</h2>
        <button type="button" onClick={() => explore(null)}>
          Find an entity
        </button>
      </div>
      <nav aria-label="Types" class="types">
        <ul>
          {held.types.map((type) => (
            <li key={type.id}>
              <button type="button" aria-current={type.id === table} onClick={() => showTable(type.id)}>
                {type.title} <span class="faint">{count(type.rows)}</span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      {table && <Rows key={`${workspace} ${table}`} id={table} workspace={workspace} explore={explore} />}
      {table && <Several held={held} id={table} showTable={showTable} />}
      <section aria-label="Relations">
        <h3>Relations</h3>
        <Values
          shown={{
            columns: [
              { title: "relation", kind: "text" },
              { title: "triples", kind: "number" },
              { title: "heads", kind: "number" },
              { title: "tails", kind: "number" },
            ],
            rows: held.relations.map(({ title, triples, heads, tails }) =>
              [title, triples, heads, tails].map((cell) => ({ name: String(cell) })),
            ),
            ordered: false,
            left_out: 0,
          }}
          explore={explore}
        />
      </section>
    </div>
  );
}

/** Relations with several values have their own tables. */
function Several({ held, id, showTable }: { held: Overview; id: string; showTable: (id: string) => void }) {
  const columns = held.types.find((type) => type.id === id)?.columns.filter((column) => column.several) ?? [];
  if (!columns.length) return null;
  return (
    <p class="row">
      With several values:
      {columns.map(({ table, title, values }) => (
        <button key={table} type="button" class="small" onClick={() => showTable(table)}>
          {title} <span class="faint">{count(values)}</span>
        </button>
      ))}
    </p>
  );
}

function Rows({ id, workspace, explore }: { id: string; workspace?: string; explore: (id: string) => void }) {
  const [offset, setOffset] = useState(0);
  const [sorting, setSorting] = useState<{ column: number; descending: boolean } | null>(null);
  const [page, setPage] = useState<TableRows | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let here = true;
    const query = {
      workspace,
      offset: String(offset),
      limit: String(PAGE),
      sort: sorting ? String(sorting.column) : undefined,
      descending: sorting ? String(sorting.descending) : undefined,
    };
    tableRows(id, query).then(
      (read) => here && (setPage(read), setProblem("")),
      (error) => here && setProblem(error.message),
    );
    return () => {
      here = false;
    };
  }, [id, workspace, offset, sorting]);
  if (problem) return <p role="alert">{problem}</p>;
  if (!page) return <p role="status">Loading the rows…</p>;
  const last = offset + page.rows.length;
  return (
    <section aria-label={`Rows of ${page.title}`}>
      <h3>
        {page.title} <span class="faint">{count(page.total)}</span>
      </h3>
      <Values
        shown={{ columns: page.columns, rows: page.rows, ordered: false, left_out: 0 }}
        explore={explore}
        sorting={sorting}
        sort={(by) => {
          setOffset(0);
          setSorting(by);
        }}
      />
      <div class="row pages">
        <button type="button" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
          Previous
        </button>
        <span role="status">
          {page.rows.length ? `${count(offset + 1)} to ${count(last)}` : "no rows"}
        </span>
        <button type="button" disabled={!page.more} onClick={() => setOffset(last)}>
          Next
        </button>
      </div>
    </section>
  );
}

// The page before a question: the content of the graph, example questions, previous questions.

import { useEffect, useMemo, useState } from "preact/hooks";
import { type Overview, type Question, overview as readOverview, starters as readStarters } from "./api";
import { Diagram } from "./diagram";
import { count } from "./format";
import type { DiagramEdge, DiagramNode } from "./layout";

/** Milliseconds between two requests for example questions. */
const AGAIN = 400;
/** Most types on the map. */
const MOST_TYPES = 12;
/** Previous questions that are shown. */
const RECENT = 6;

interface Props {
  workspace?: string;
  kept: Question[];
  ask: (question: Question) => void;
  clear: () => void;
  showType: (id: string) => void;
}

export function Start({ workspace, kept, ask, clear, showType }: Props) {
  const [held, setHeld] = useState<Overview | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    setHeld(null);
    setProblem("");
    readOverview(workspace).then(setHeld, (error) => setProblem(error.message));
  }, [workspace]);
  return (
    <div class="start">
      <Starters workspace={workspace} ask={ask} />
      {kept.length > 0 && (
        <section class="history" aria-label="Recent questions">
          <h2>Recent questions</h2>
          <ul>
            {kept.slice(0, RECENT).map((question, at) => (
              <li key={at}>
                <button type="button" class="plain" onClick={() => ask(question)}>
                  {question.question}
                </button>{" "}
                <span class="faint">{question.method}</span>
              </li>
            ))}
          </ul>
          <button type="button" class="small" onClick={clear}>
            Clear the list
          </button>
        </section>
      )}
      <section class="held" aria-label="Contents of the graph">
        <h2>Contents of the graph</h2>
        {problem && <p role="alert">{problem}</p>}
        {!held && !problem && <p role="status">Loading the graph's types and relations…</p>}
        {held && (
          <>
            <p>
              {count(held.triples)} triples about {count(held.entities)} entities of {held.types.length} type
              {held.types.length === 1 ? "" : "s"}.
            </p>
            <TypeMap held={held} showType={showType} />
          </>
        )}
      </section>
    </div>
  );
}

/** Up to six example questions, as the server finds them. They need no model call. */
function Starters({ workspace, ask }: Pick<Props, "workspace" | "ask">) {
  const [questions, setQuestions] = useState<string[]>([]);
  const [complete, setComplete] = useState(false);
  useEffect(() => {
    let here = true;
    setQuestions([]);
    setComplete(false);
    const look = async (): Promise<void> => {
      const found = await readStarters(workspace);
      if (!here) return;
      setQuestions(found.questions.map(({ question }) => question));
      setComplete(found.complete);
      if (found.complete) return;
      await new Promise((wake) => setTimeout(wake, AGAIN));
      if (here) return look();
    };
    // The start works without them; a message below reports problems of the graph.
    look().catch(() => here && setComplete(true));
    return () => {
      here = false;
    };
  }, [workspace]);
  if (complete && !questions.length) return null;
  return (
    <section class="starters" aria-label="Example questions">
      <h2>Example questions</h2>
      <ul>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" onClick={() => ask({ question, workspace, max_llm_calls: 0 })}>
              {question}
            </button>
          </li>
        ))}
      </ul>
      {!complete && (
        <p role="status" class="faint">
          Trying questions on the graph…
        </p>
      )}
    </section>
  );
}

/** The types and their links; relations between the same two types share one arrow. */
export function TypeMap({ held, showType }: { held: Overview; showType: (id: string) => void }) {
  const { nodes, edges, roots } = useMemo(() => {
    const links = (id: string) => held.links.filter((link) => link.from === id || link.to === id).length;
    const ordered = [...held.types].sort((one, other) => links(other.id) - links(one.id) || other.rows - one.rows);
    const chosen = ordered.slice(0, MOST_TYPES);
    const nodes = chosen.map(({ id, title, rows }): DiagramNode => ({ id, name: title, note: count(rows), role: "way" }));
    const known = new Set(chosen.map((type) => type.id));
    const pairs = new Map<string, DiagramEdge>();
    for (const { from, to, title } of held.links) {
      if (!known.has(from) || !known.has(to)) continue;
      const id = `${from} ${to}`;
      const before = pairs.get(id)?.relation.split(", ") ?? [];
      const relation = [...new Set([...before, title])].join(", ");
      pairs.set(id, { id, from, to, relation });
    }
    return { nodes, edges: [...pairs.values()], roots: chosen.slice(0, 1).map((type) => type.id) };
  }, [held]);
  const left = held.types.length - nodes.length;
  return (
    <>
      {nodes.length > 0 && <Diagram label="Types of this graph and how they are linked" nodes={nodes} edges={edges} roots={roots} act="Rows of" pick={showType} />}
      {left > 0 && <p class="faint">{left} more types are listed under Explore.</p>}
    </>
  );
}

// The page as a whole: its sections (Ask, Explore, SPARQL), the thread of questions, problems of
// server and workspace.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Question, type Reply, type Status, Failure, setKey, status as readStatus } from "./api";
import { RunView } from "./answer";
import { Browse } from "./browse";
import { MethodChoice } from "./choice";
import { Differences } from "./compare";
import { useConnection } from "./connection";
import { Explorer } from "./explorer";
import { forget, fromAddress, past, permalink, remember } from "./history";
import type { Run } from "./run";
import { Sparql } from "./sparql";
import { Start } from "./start";

/** Milliseconds between two polls of the workspaces. */
const LOOK_AT_WORKSPACES = 15_000;

/** A question of the thread; `against` is the second method of a comparison. */
interface Asked {
  number: number;
  question: Question;
  against?: string;
}

/** Most entities of an answer that are sent with the next question. */
const REMEMBERED = 50;

/** The distinct entities of the answer's first non-empty column. */
function entitiesOf(reply: Reply) {
  const rows = reply.table?.rows ?? [];
  const column = Math.min(...rows.map((row) => row.findIndex((cell) => cell)).filter((at) => at >= 0));
  const entities = new Map<string, string>();
  for (const row of rows) {
    const cell = row[column];
    if (cell?.key) entities.set(cell.key, cell.name);
  }
  return [...entities].slice(0, REMEMBERED).map(([key, name]) => ({ key, name }));
}

export function App() {
  const [status, setStatus] = useState<Status | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const load = () =>
    readStatus().then(
      (read) => {
        setStatus(read);
        setFailure(null);
      },
      // The page keeps its content; the alert at its top reports the missing server.
      (error) => setFailure((before) => (status && error.code === "unreachable" ? before : error)),
    );
  const gone = useConnection(load);
  useEffect(() => {
    load();
    // Workspaces are polled, so that the page reports a missing one without a question.
    const timer = setInterval(() => document.hidden || load(), LOOK_AT_WORKSPACES);
    return () => clearInterval(timer);
  }, []);
  const shut = failure !== null && (!status || failure.status === 401);
  return (
    <>
      {gone && (
        <p class="gone" role="alert">
          The server does not answer. It may be restarting; the page continues by itself when it is back.
        </p>
      )}
      {shut && (
        <main>
          <h1>Quipu</h1>
          {failure.status === 401 || !gone ? <Closed failure={failure} load={load} /> : null}
        </main>
      )}
      {status && !shut && <Desk status={status} />}
      {!status && !failure && (
        <main>
          <h1>Quipu</h1>
          <p role="status">Loading the workspaces…</p>
        </main>
      )}
    </>
  );
}

/** The message if the server refuses the page's key or does not answer. */
function Closed({ failure, load }: { failure: Failure; load: () => void }) {
  if (failure.status !== 401) {
    return (
      <div class="failure" role="alert">
        <p>{failure.message}</p>
        <button type="button" onClick={load}>
          Try again
        </button>
      </div>
    );
  }
  const enter = (event: SubmitEvent) => {
    event.preventDefault();
    setKey(new FormData(event.currentTarget as HTMLFormElement).get("key") as string);
    load();
  };
  return (
    <form class="key" onSubmit={enter}>
      <h2>A key is needed</h2>
      <p>{failure.message}</p>
      <input name="key" type="password" aria-label="Key" autocomplete="off" required />
      <button type="submit">Enter</button>
      <p class="faint">Only this tab keeps the key, until it is closed.</p>
    </form>
  );
}

type View = "ask" | "explore" | "sparql";

/** The section and the content that an address names. */
function viewOf(hash: string): View {
  return hash === "#explore" ? "explore" : hash === "#sparql" ? "sparql" : "ask";
}

function Desk({ status }: { status: Status }) {
  const address = fromAddress(location.hash);
  const [view, setView] = useState<View>(() => viewOf(location.hash));
  const [workspace, setWorkspace] = useState(address?.workspace ?? status.workspaces[0]?.name);
  const [method, setMethod] = useState(
    status.methods.find((name) => name === address?.method) ?? status.method,
  );
  const [against, setAgainst] = useState("");
  const [calls, setCalls] = useState("");
  const [thread, setThread] = useState<Asked[]>(() => (address ? [{ number: 0, question: address }] : []));
  const [ended, setEnded] = useState<Run[]>([]);
  const [other, setOther] = useState<Run | null>(null);
  const [kept, setKept] = useState(past);
  const [table, setTable] = useState<string | null>(null);
  const [explored, setExplored] = useState<{ id: string | null } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useKeys(input, () => setExplored(null));

  const go = (to: View) => {
    setView(to);
    const current = thread.at(-1);
    history.replaceState(null, "", to !== "ask" ? `#${to}` : current ? permalink(current.question) : location.pathname);
  };
  const chooseMethod = (name: string) => {
    setMethod(name);
    if (name === against) setAgainst("");
  };
  const ask = (question: Question, compare = "") => {
    setView("ask");
    // The choice follows the question, so that a follow-up goes to the same method.
    const asked = status.methods.find((name) => name === question.method);
    if (asked) chooseMethod(asked);
    setOther(null);
    setKept(remember(question));
    history.replaceState(null, "", permalink(question));
    if (!question.conversation && input.current) input.current.value = question.question;
    setThread((old) => [...old, { number: old.length, question, against: compare || undefined }]);
  };
  const chosen = { workspace, method, max_llm_calls: calls === "" ? undefined : Number(calls) };
  const fresh = (event: SubmitEvent) => {
    event.preventDefault();
    const text = input.current!.value.trim();
    if (!text) return;
    setEnded([]);
    ask({ question: text, ...chosen }, against);
  };
  const followUp = (text: string) => {
    const turns = ended.flatMap(({ reply }) =>
      reply
        ? [
            { speaker: "person" as const, text: reply.question },
            { speaker: "answer" as const, text: reply.answer, values: entitiesOf(reply) },
          ]
        : [],
    );
    ask({ question: text, ...chosen, conversation: turns });
  };
  const home = (event: Event) => {
    event.preventDefault();
    setThread([]);
    setEnded([]);
    if (input.current) input.current.value = "";
    setView("ask");
    history.replaceState(null, "", location.pathname);
  };
  const showType = (id: string) => {
    setTable(id);
    go("explore");
  };
  const explore = (id: string | null) => setExplored({ id });
  const current = thread.at(-1);
  const last = ended.at(-1)?.question === current?.question ? ended.at(-1) : undefined;
  const earlier = ended.filter((run) => run.reply && run.question !== current?.question);
  const shared = { status, again: (question: Question) => ask(question), explore };
  return (
    <>
      <header>
        <h1>
          <a href="/" onClick={home}>
            Quipu
          </a>
        </h1>
        <nav aria-label="Sections">
          {(["ask", "explore", "sparql"] as const).map((to) => (
            <a
              key={to}
              href={`#${to}`}
              aria-current={view === to ? "page" : undefined}
              onClick={(event) => {
                event.preventDefault();
                go(to);
              }}
            >
              {{ ask: "Ask", explore: "Explore", sparql: "SPARQL" }[to]}
            </a>
          ))}
          <a href="/docs">API</a>
        </nav>
        {status.workspaces.length > 1 && (
          <Choice label="Workspace" value={workspace} set={setWorkspace} among={status.workspaces.map(({ name }) => name)} />
        )}
      </header>
      <main>
        <Notices status={status} workspace={workspace} />
        {view === "explore" && <Browse key={workspace} workspace={workspace} table={table} showTable={setTable} explore={explore} />}
        {view === "sparql" && <Sparql workspace={workspace} explore={explore} />}
        <div hidden={view !== "ask"}>
          <form class="ask" role="search" onSubmit={fresh}>
            <label class="sr" for="question">
              Your question
            </label>
            <input id="question" ref={input} defaultValue={address?.question} maxLength={4000} placeholder="Ask this graph a question" autocomplete="off" />
            <button type="submit" class="main">
              Ask
            </button>
            <details class="more">
              <summary>More</summary>
              <div class="options">
                <MethodChoice
                  label="Method"
                  planner="Planner"
                  value={method}
                  set={chooseMethod}
                  among={status.methods}
                />
                <MethodChoice
                  label="Compare with"
                  planner="Its planner"
                  value={against}
                  set={setAgainst}
                  among={["", ...status.methods.filter((name) => name !== method)]}
                />
                <div class="choice">
                  <label for="calls">Model call limit</label>{" "}
                  <input id="calls" type="number" min={0} max={1000} value={calls} onInput={(event) => setCalls(event.currentTarget.value)} />
                  <p class="faint">If empty, the server's limit holds. The answer says if the limit ended the work.</p>
                </div>
              </div>
            </details>
          </form>
          {earlier.length > 0 && current?.question.conversation && (
            <ol class="earlier" aria-label="Earlier in this conversation">
              {earlier.map(({ reply }, at) => (
                <li key={at}>
                  <b>{reply!.question}</b> {reply!.answer}
                </li>
              ))}
            </ol>
          )}
          {current?.against && last?.reply && other?.reply && <Differences one={last.reply} other={other.reply} />}
          {current && (
            <div class={current.against ? "side-by-side" : ""} key={current.number}>
              <RunView
                {...shared}
                question={current.question}
                compared={Boolean(current.against)}
                done={(run) => setEnded((old) => [...old, run])}
              />
              {current.against && <RunView {...shared} compared question={{ ...current.question, method: current.against }} done={setOther} />}
            </div>
          )}
          {current && last?.reply && <FollowUp key={current.number} ask={followUp} />}
          {!current && (
            <Start
              workspace={workspace}
              kept={kept.filter((question) => !question.workspace || question.workspace === workspace)}
              ask={(question) => ask({ ...chosen, ...question })}
              clear={() => setKept(forget())}
              showType={showType}
            />
          )}
          {current && <History kept={kept} ask={(question) => ask(question)} clear={() => setKept(forget())} />}
        </div>
      </main>
      {explored && (
        <Explorer id={explored.id} workspace={workspace} go={(id) => setExplored({ id })} close={() => setExplored(null)} />
      )}
    </>
  );
}

/** `/` focuses the question, Escape closes overlays. */
function useKeys(input: { current: HTMLInputElement | null }, close: () => void) {
  // Before the page is painted: a key that is pressed as soon as the field is seen must count.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
      if (event.key === "Escape") close();
      if (event.key === "/" && !typing) {
        event.preventDefault();
        input.current?.focus();
        input.current?.select();
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function Choice(props: { label: string; value?: string; set: (value: string) => void; among: string[] }) {
  const id = useId();
  return (
    <span class="choice">
      <label for={id}>{props.label}</label>{" "}
      <select id={id} value={props.value} onChange={(event) => props.set(event.currentTarget.value)}>
        {props.among.map((name) => (
          <option key={name} value={name}>
            {name || "nothing"}
          </option>
        ))}
      </select>
    </span>
  );
}

function Notices({ status, workspace }: { status: Status; workspace?: string }) {
  const problem = status.workspaces.find(({ name }) => name === workspace)?.problem;
  return (
    <>
      {problem && (
        <p class="badge failed" role="alert">
          {problem}
        </p>
      )}
      {!status.llm && (
        <p class="badge unsure">
          There is no language model, so methods that need one fail. {status.llm_problem ?? "Start the server with quipu serve --llm NAME."}
        </p>
      )}
    </>
  );
}

function FollowUp({ ask }: { ask: (text: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const text = (new FormData(event.currentTarget as HTMLFormElement).get("follow-up") as string).trim();
    if (text) ask(text);
  };
  return (
    <form class="follow-up row" onSubmit={submit}>
      <input name="follow-up" aria-label="Follow-up question" placeholder="Ask a follow-up question" autocomplete="off" />
      <button type="submit" class="main">
        Follow up
      </button>
    </form>
  );
}

function History({ kept, ask, clear }: { kept: Question[]; ask: (question: Question) => void; clear: () => void }) {
  if (!kept.length) return null;
  return (
    <details class="history">
      <summary>Recent questions ({kept.length})</summary>
      <ul>
        {kept.map((question, at) => (
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
    </details>
  );
}

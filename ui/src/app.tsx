// The page as a whole: what is asked, the thread of questions, what was asked before, the explorer.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type Question, type Reply, type Status, Failure, setKey, status as readStatus } from "./api";
import { RunView } from "./answer";
import { Explorer } from "./explorer";
import { forget, fromAddress, past, permalink, remember } from "./history";
import type { Run } from "./run";

/** A question of the thread; two methods side by side where it is compared. */
interface Asked {
  number: number;
  question: Question;
  against?: string;
}

/** Most entities of an answer that are sent with what comes after it. */
const REMEMBERED = 50;

/** The entities that an answer gives, each once: those of the first column that has a value. */
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
      (error) => setFailure(error),
    );
  useEffect(() => void load(), []);
  return (
    <>
      <header>
        <h1>
          <a href="#" onClick={() => location.reload()}>
            Quipu
          </a>
        </h1>
        <nav>
          <a href="/docs">API</a>
        </nav>
      </header>
      <main>
        {failure && <Closed failure={failure} load={load} />}
        {status && !failure && <Desk status={status} />}
        {!status && !failure && <p role="status">Looking what can be asked…</p>}
      </main>
    </>
  );
}

/** The server does not let the page in, or is not there. */
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
      <p class="faint">It is kept in this tab alone, until it is closed.</p>
    </form>
  );
}

function Desk({ status }: { status: Status }) {
  const address = fromAddress(location.hash);
  const [workspace, setWorkspace] = useState(address?.workspace ?? status.workspaces[0]?.name);
  const [method, setMethod] = useState(address?.method ?? status.method);
  const [against, setAgainst] = useState("");
  const [thread, setThread] = useState<Asked[]>(() => (address ? [{ number: 0, question: address }] : []));
  const [ended, setEnded] = useState<Run[]>([]);
  const [kept, setKept] = useState(past);
  const [explored, setExplored] = useState<{ id: string | null } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useKeys(input, () => setExplored(null));

  const ask = (question: Question, compare = "") => {
    setKept(remember(question));
    history.replaceState(null, "", permalink(question));
    setThread((old) => [...old, { number: old.length, question, against: compare || undefined }]);
  };
  const fresh = (event: SubmitEvent) => {
    event.preventDefault();
    const text = input.current!.value.trim();
    if (!text) return;
    setEnded([]);
    ask({ question: text, workspace, method }, against);
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
    ask({ question: text, workspace, method, conversation: turns });
  };
  const current = thread.at(-1);
  const earlier = ended.filter((run) => run.reply && run.question !== current?.question);
  const shared = { status, again: (question: Question) => ask(question), explore: (id: string) => setExplored({ id }) };
  return (
    <>
      <form class="ask" role="search" onSubmit={fresh}>
        <label class="sr" for="question">
          Your question
        </label>
        <input id="question" ref={input} defaultValue={address?.question} maxLength={4000} placeholder="Ask a question (press /)" autocomplete="off" />
        <button type="submit">Ask</button>
        <div class="options">
          <Choice label="Workspace" value={workspace} set={setWorkspace} among={status.workspaces.map(({ name }) => name)} />
          <Choice label="Method" value={method} set={setMethod} among={status.methods} />
          <Choice label="Compare with" value={against} set={setAgainst} among={["", ...status.methods.filter((name) => name !== method)]} />
          <button type="button" onClick={() => setExplored({ id: null })}>
            Entities
          </button>
        </div>
      </form>
      <Notices status={status} workspace={workspace} />
      {earlier.length > 0 && current?.question.conversation && (
        <ol class="earlier" aria-label="Earlier in this conversation">
          {earlier.map(({ reply }, at) => (
            <li key={at}>
              <b>{reply!.question}</b> {reply!.answer}
            </li>
          ))}
        </ol>
      )}
      {current && (
        <div class={current.against ? "side-by-side" : ""} key={current.number}>
          <RunView {...shared} question={current.question} done={(run) => setEnded((old) => [...old, run])} />
          {current.against && (
            <RunView {...shared} question={{ ...current.question, method: current.against }} done={() => undefined} />
          )}
        </div>
      )}
      {current && ended.at(-1)?.question === current.question && ended.at(-1)?.reply && <FollowUp key={current.number} ask={followUp} />}
      <History kept={kept} ask={(question) => ask(question)} clear={() => setKept(forget())} />
      {explored && (
        <Explorer id={explored.id} workspace={workspace} go={(id) => setExplored({ id })} close={() => setExplored(null)} />
      )}
    </>
  );
}

/** `/` goes to the question, Escape closes what lies over it. */
function useKeys(input: { current: HTMLInputElement | null }, close: () => void) {
  useEffect(() => {
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
      {problem && <p class="badge failed">{problem}</p>}
      {!status.llm && (
        <p class="badge unsure">
          There is no language model: methods that need one fail. {status.llm_problem ?? "quipu serve --llm NAME names one."}
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
      <input name="follow-up" aria-label="Follow-up question" placeholder="And …? (a follow-up question)" autocomplete="off" />
      <button type="submit">Follow up</button>
    </form>
  );
}

function History({ kept, ask, clear }: { kept: Question[]; ask: (question: Question) => void; clear: () => void }) {
  if (!kept.length) return null;
  return (
    <details class="history">
      <summary>Asked before ({kept.length})</summary>
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
      <button type="button" onClick={clear}>
        Forget them
      </button>
    </details>
  );
}

// A question's outcome: the answer with its citation numbers, its trustworthiness, its cost, and
// the next steps if there is no answer.

import { useState } from "preact/hooks";
import { type Mention, type Question, type Reply, type Status, type Value, feedback } from "./api";
import { ChartView, WorldMap, chartOf } from "./charts";
import { Evidences } from "./evidence";
import { grouped } from "./format";
import { Graph } from "./graph";
import { permalink } from "./history";
import { Progress } from "./progress";
import { Readings } from "./readings";
import { type Run, anchorsOf, useRun } from "./run";
import { Values, isTable, shownOf } from "./values";

interface Shown {
  run: Run & { stop: () => void; stopped: boolean };
  status: Status;
  again: (question: Question) => void;
  explore: (id: string) => void;
}

export function RunView(props: Omit<Shown, "run"> & { question: Question; compared?: boolean; done: (run: Run) => void }) {
  const run = useRun(props.question, props.done);
  const { reply, failure, stopped } = run;
  const working = !reply && !failure && !stopped;
  return (
    <article class="run" aria-busy={working}>
      <h2 class="question">
        {props.question.question}
      </h2>
      {props.compared && <p class="faint">by {props.question.method}</p>}
      <p class="sr" role="status">
        {reply ? (reply.status === "answered" ? "The answer is here." : "There is no answer.") : ""}
      </p>
      {working && (
        <button type="button" class="stop" onClick={run.stop}>
          Stop
        </button>
      )}
      {run.waiting && (
        <p class="badge unsure" role="status">
          The connection to the server broke. The question is asked again when it is back.
        </p>
      )}
      {stopped && <p class="badge unsure">Stopped, on the server too.</p>}
      {failure && <FailureView run={run} {...props} />}
      {reply && <Outcome run={run} reply={reply} {...props} />}
      <Progress events={run.events} working={working} />
    </article>
  );
}

function FailureView({ run, status }: Shown) {
  const { message, code } = run.failure!;
  const advice: Record<string, string> = {
    model_missing: status.llm_problem ?? "Start the server with a language model: quipu serve WORKSPACE --llm NAME.",
    server_busy: "The server is working on many questions. Try again in a moment.",
    timeout: "Ask for less at once, or allow more time.",
    workspace_gone: "Import the workspace again; the server then opens it by itself.",
    model_error: "The language model fails. Check that its server runs.",
    invalid_api_key: "The server does not know this key. Reload the page to enter another.",
  };
  return (
    <div class="failure" role="alert">
      <p class="badge failed">Failed</p>
      <p>{message}</p>
      {advice[code] && <p class="faint">{advice[code]}</p>}
    </div>
  );
}

function Outcome({ run, reply, status, again, explore }: Shown & { reply: Reply }) {
  const [lit, setLit] = useState<string | null>(null);
  const anchors = anchorsOf(run.events);
  return (
    <div class="outcome">
      {reply.question !== run.question.question && <p class="faint">Understood as: {reply.question}</p>}
      {reply.status !== "answered" && <Verdict reply={reply} />}
      <Told run={run} reply={reply} again={again} explore={explore} lit={lit} setLit={setLit} />
      {reply.status !== "answered" && <Tried run={run} />}
      <Meant run={run} again={again} explore={explore} />
      <div class="beside">
        <Evidences reply={reply} lit={lit} setLit={setLit} explore={explore} />
        <Graph reply={reply} anchors={anchors} lit={lit} setLit={setLit} explore={explore} />
      </div>
      <Cost reply={reply} />
      <Actions run={run} reply={reply} keepsFeedback={status.feedback} />
    </div>
  );
}

/** The values, the reading of the question and its sureness, with a chart if the values allow one. */
function Told({ run, reply, again, explore, ...lighting }: Lighting & Pick<Shown, "run" | "again" | "explore"> & { reply: Reply }) {
  const shown = shownOf(reply);
  const answered = reply.status === "answered";
  const chart = shown && answered ? chartOf(shown) : null;
  const places = shown && answered ? shown.places : [];
  const drawn = chart !== null || places.length > 0;
  return (
    <div class={drawn ? "told drawn" : "told"}>
      <div>
        <div class="answer" data-testid="answer">
          {isTable(shown, reply) ? (
            <Values shown={shown} explore={explore} behind={(row) => <RowCitations row={row} reply={reply} {...lighting} />} />
          ) : (
            <p class={LARGE.find(({ most }) => reply.answer.length <= most)?.name ?? ""}>
              {answered ? <CitedText reply={reply} {...lighting} /> : reply.answer}
            </p>
          )}
        </div>
        <Readings question={run.question} reply={reply} again={again} />
        {answered && <Verdict reply={reply} />}
        {reply.failures.map((failure, at) => (
          <p key={at} class="badge unsure">
            {failure}
          </p>
        ))}
      </div>
      {drawn && (
        <div>
          {chart && <ChartView chart={chart} />}
          {places.length > 0 && <WorldMap places={places} explore={explore} />}
        </div>
      )}
    </div>
  );
}

/** The outcome: whether the values stand in the evidence, and whether the question means them. */
function Verdict({ reply }: { reply: Reply }) {
  if (reply.status === "abstained") {
    const reason = reply.reason?.replace(/\.$/, "") ?? "the evidence holds none";
    return <p class="badge unsure">No answer: {reason}. Quipu does not guess.</p>;
  }
  if (reply.status === "invalid_question") {
    return <p class="badge unsure">The question assumes something that the evidence does not support. {reply.reason}</p>;
  }
  if (!reply.trust) return null;
  const { values_held, values, sureness, reading } = reply.trust;
  // Values that answer another question are no success, even if the graph states them.
  const held = sureness === "doubtful" ? "neutral" : "good";
  const read = { sure: "good", fairly_sure: "neutral", doubtful: "unsure" }[sureness];
  return (
    <div role="group" class="verdict" aria-label="Certainty">
      <p class={`badge ${values_held ? held : "unsure"}`}>{values}</p>
      <p class={`badge ${values_held || read === "unsure" ? read : "neutral"}`}>{reading}</p>
    </div>
  );
}

/** The font size of an answer, by its length. */
const LARGE = [
  { most: 70, name: "large" },
  { most: 220, name: "medium" },
];
/** Most citation numbers after one row. */
const MOST_NUMBERS = 3;

export interface Lighting {
  lit: string | null;
  setLit: (id: string | null) => void;
}

/** The citations of a row: evidence about its entity. */
function RowCitations({ row, reply, lit, setLit }: Lighting & { row: (Value | null)[]; reply: Reply }) {
  const keys = row.flatMap((value) => value?.key ?? []);
  const cited = reply.cited.citations.filter(({ id }) => {
    const piece = reply.evidence.find((known) => known.id === id);
    return piece?.kind === "triple" && keys.some((key) => piece.keys?.includes(key));
  });
  return (
    <>
      {cited.slice(0, MOST_NUMBERS).map((citation) => (
        <CitationButton key={citation.id} citation={citation} lit={lit} setLit={setLit} />
      ))}
    </>
  );
}

function CitationButton({ citation, lit, setLit }: Lighting & { citation: Reply["cited"]["citations"][number] }) {
  const { number, id, sentence } = citation;
  return (
    <button
      type="button"
      class={`citation ${lit === id ? "lit" : ""}`}
      aria-label={`Citation ${number}: ${sentence}`}
      aria-pressed={lit === id}
      onClick={() => setLit(id)}
      onMouseEnter={() => setLit(id)}
    >
      {number}
    </button>
  );
}

/** The answer's words; numbers get separators unless they are years or codes. */
function words(text: string, reply: Reply) {
  const shown = shownOf(reply);
  const numbers = new Set(
    shown?.columns.flatMap(({ kind, plain }, at) =>
      kind === "number" && !plain ? shown.rows.flatMap((row) => row[at]?.name ?? []) : [],
    ),
  );
  const one = shown?.columns.length === 1 && shown.rows.length === 1 ? shown.columns[0].unit : null;
  const said = text.replace(/\d+(\.\d+)?/g, (number) => (numbers.has(number) ? grouped(number) : number));
  return one && numbers.has(text.trim()) ? `${said.trim()} ${one} ` : said;
}

/** The text with its citation numbers as buttons. */
function CitedText({ reply, lit, setLit }: Lighting & { reply: Reply }) {
  const { text, citations } = reply.cited;
  const parts = text.split(/(\[\d+\])/);
  return (
    <>
      {parts.map((part, at) => {
        const number = /^\[(\d+)\]$/.exec(part)?.[1];
        const citation = citations.find((known) => String(known.number) === number);
        if (!citation) return words(part, reply);
        return <CitationButton key={at} citation={citation} lit={lit} setLit={setLit} />;
      })}
    </>
  );
}

/** The steps that were tried before an abstention. */
function Tried({ run }: { run: Run }) {
  const ranked = run.events.filter((event) => event.event === "ranked");
  const phrases = ranked.flatMap((event) => (event.paths as { phrase: string }[]).map((path) => path.phrase));
  const anchors = anchorsOf(run.events);
  return (
    <div class="tried">
      <p>Attempts:</p>
      <ul>
        <li>{anchors.length ? `Started from ${anchors.join(", ")}` : "No entity of the graph was found in the question"}</li>
        {phrases.slice(0, 3).map((phrase) => (
          <li key={phrase}>Considered {phrase}</li>
        ))}
      </ul>
    </div>
  );
}

/** The entity chosen for each name, and the other candidates. */
function Meant({ run, again, explore }: Pick<Shown, "run" | "again" | "explore">) {
  const chosen = run.question.anchors ?? [];
  const mentions = run.mentions.filter((mention) => mention.chosen);
  if (!mentions.length) return null;
  const taken = (mention: Mention) =>
    mention.candidates.find((candidate) => chosen.includes(candidate.id)) ?? mention.candidates[0];
  const instead = (mention: Mention, id: string) => {
    const others = mentions.filter((other) => other !== mention).map((other) => taken(other).id);
    again({ ...run.question, anchors: [id, ...others], conversation: undefined, question: run.reply!.question });
  };
  return (
    <div role="group" class="meant" aria-label="Chosen entities">
      {mentions.map((mention) => {
        const best = taken(mention);
        const others = mention.candidates.filter((candidate) => candidate !== best);
        const why = chosen.includes(best.id) ? "you chose it" : best.reason;
        return (
          <details key={mention.text}>
            <summary>
              “{mention.text}” means <b>{best.name}</b> {about(best)} ({why})
              {others.length > 0 && `; ${others.length} other candidate${others.length > 1 ? "s" : ""}`}
            </summary>
            <button type="button" class="plain" onClick={() => explore(best.id)}>
              Look at {best.name}
            </button>
            <ul>
              {others.map((candidate) => (
                <li key={candidate.id}>
                  <button type="button" onClick={() => instead(mention, candidate.id)}>
                    Ask about {candidate.name} {about(candidate)}
                  </button>{" "}
                  <span class="faint">
                    {candidate.reason}, {candidate.triples} triples
                  </span>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </div>
  );
}

function about({ types, description, id, name }: Mention["candidates"][number]): string {
  const known = description ?? types.join(", ");
  return known ? `— ${known}` : id === name ? "" : `— ${id}`;
}

function Cost({ reply }: { reply: Reply }) {
  const { llm_calls, prompt_tokens, completion_tokens, cost, seconds, by_stage } = reply.usage;
  const stages = by_stage.map((stage) => `${stage.stage} ${stage.seconds.toFixed(2)} s`).join(" · ");
  return (
    <p class="cost faint" data-testid="cost">
      {llm_calls} model call{llm_calls === 1 ? "" : "s"} · {prompt_tokens + completion_tokens} tokens ·{" "}
      {cost ? `${cost.amount.toLocaleString("en", { maximumSignificantDigits: 2 })} ${cost.currency} · ` : ""}
      {seconds.toFixed(2)} s ({stages}) · {reply.method} · {reply.llm}
    </p>
  );
}

function Actions({ run, reply, keepsFeedback }: { run: Run; reply: Reply; keepsFeedback: boolean }) {
  const [said, setSaid] = useState("");
  const copy = (what: string, text: string) =>
    navigator.clipboard.writeText(text).then(
      () => setSaid(`${what} copied`),
      () => setSaid("The browser does not allow the page to copy"),
    );
  const judge = (right: boolean) =>
    feedback({ question: reply.question, workspace: reply.workspace, method: reply.method, right, answers: reply.answers }).then(
      () => setSaid("Thank you"),
      (error) => setSaid(error.message),
    );
  const link = () => location.origin + location.pathname + permalink(run.question);
  return (
    <div class="actions">
      <button type="button" onClick={() => copy("Markdown", markdown(reply))}>
        Copy as Markdown
      </button>
      <button type="button" onClick={() => copy("JSON", JSON.stringify(reply, null, 2))}>
        Copy as JSON
      </button>
      <button type="button" onClick={() => copy("Link", link())}>
        Copy link
      </button>
      {keepsFeedback && (
        <>
          <button type="button" onClick={() => judge(true)}>
            Right
          </button>
          <button type="button" onClick={() => judge(false)}>
            Wrong
          </button>
        </>
      )}
      <span role="status" class="faint">
        {said}
      </span>
    </div>
  );
}

/** The answer as text to paste into a document. */
export function markdown({ question, cited, markdown }: Reply): string {
  const notes = cited.citations.map(({ number, sentence, markdown }) => `[${number}]: ${markdown ?? sentence}`);
  return [`**${question}**`, markdown, notes.join("  \n")].filter(Boolean).join("\n\n") + "\n";
}

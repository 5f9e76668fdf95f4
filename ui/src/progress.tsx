// The engine's progress, live.

import type { Happened } from "./api";

const list = (names: unknown, most = 6): string => {
  const all = (Array.isArray(names) ? names : []).map(String);
  return all.slice(0, most).join(", ") + (all.length > most ? ` and ${all.length - most} more` : "");
};

interface Mentioned {
  text: string;
  candidates: { name: string; reason: string }[];
}

/** An event in words; null if people need not see it. */
export function told(event: Happened): string | null {
  switch (event.event) {
    case "restated":
      return `Understood as: ${event.question}`;
    case "linked": {
      const mentions = event.mentions as Mentioned[];
      if (!mentions.length) return "No entity of the graph was found in the question";
      return mentions
        .map(({ text, candidates: [best] }) => (best ? `“${text}” is ${best.name} (${best.reason})` : `“${text}” is unknown`))
        .join("; ");
    }
    case "read":
      return `Read: ${event.reading}`;
    case "ranked": {
      const paths = event.paths as { phrase: string }[];
      return `${event.considered} paths considered; best: ${list(paths.map((path) => path.phrase), 3)}`;
    }
    case "expanded":
      return `Hop ${event.hop}: ${(event.relations as unknown[]).length} relations on offer`;
    case "filtered":
      return `Kept ${list(event.kept)} (${event.dropped} dropped, by ${event.by})`;
    case "judged":
      return `After hop ${event.hop}: ${event.verdict}`;
    case "retrieved":
      return `${event.evidence} pieces of evidence` + (event.left_out ? `, ${event.left_out} beyond the budget` : "");
    case "calculated":
      return `${event.operation} = ${event.result}`;
    case "composed":
      return `Composed: ${list(event.answers)}`;
    case "grounded": {
      const [held, missing] = [event.supported as unknown[], event.unsupported as unknown[]];
      return `${held.length} of ${held.length + missing.length} values found in the evidence`;
    }
    case "model_called":
      return `Asked the model (${event.request})`;
    case "queried":
      return event.words ? `Read as: ${event.words} (${event.outcome})` : `A query could not be used: ${event.outcome}`;
    case "degraded":
      return `Fell back: ${event.reason}`;
    default:
      return null;
  }
}

export function Progress({ events, working }: { events: Happened[]; working: boolean }) {
  const lines = events.flatMap((event, at) => {
    const text = told(event);
    return text ? [<Line key={at} event={event} text={text} />] : [];
  });
  if (working) {
    const stage = events.at(-1)?.stage ?? "link";
    return (
      <div role="group" class="progress" aria-label="Progress">
        <p role="status" class="working">
          <span class="spinner" aria-hidden="true" /> At work: {stage}
        </p>
        <ol>{lines}</ol>
      </div>
    );
  }
  return (
    <details class="progress">
      <summary>Steps to the answer ({lines.length})</summary>
      <ol>{lines}</ol>
    </details>
  );
}

function Line({ event, text }: { event: Happened; text: string }) {
  return (
    <li>
      <span class="stage">{event.stage}</span> <span>{text}</span> <span class="faint">{event.at.toFixed(2)} s</span>
    </li>
  );
}

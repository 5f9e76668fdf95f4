// A running question, and its result.

import { useEffect, useRef, useState } from "preact/hooks";
import { type Happened, type Mention, type Question, type Reply, Failure, ask, link } from "./api";
import { back } from "./connection";

/** Failures of the connection; a question is asked again after one. */
const ON_THE_WAY = ["unreachable", "broken_off"];
/** Most attempts at a question. */
const TRIES = 3;

export interface Run {
  question: Question;
  events: Happened[];
  mentions: Mention[];
  reply?: Reply;
  failure?: Failure;
  /** Whether the question waits for the server to come back. */
  waiting?: boolean;
}

/** Runs the question; `stop` ends it, on the server too. */
export function useRun(question: Question, done: (run: Run) => void): Run & { stop: () => void; stopped: boolean } {
  const [run, setRun] = useState<Run>({ question, events: [], mentions: [] });
  const [stopped, setStopped] = useState(false);
  const control = useRef(new AbortController());
  useEffect(() => {
    const { signal } = control.current;
    const latest: Run = { question, events: [], mentions: [] };
    const change = (changes: Partial<Run>) => {
      Object.assign(latest, changes);
      if (!signal.aborted) setRun({ ...latest });
    };
    const linked = (text: string) =>
      link(text, question.workspace).then(
        (mentions) => change({ mentions }),
        () => undefined,
      );
    const asked = async (left: number): Promise<Reply> => {
      change({ events: [] });
      try {
        return await ask(question, signal, (event) => change({ events: [...latest.events, event] }));
      } catch (error) {
        if (!(error instanceof Failure) || !ON_THE_WAY.includes(error.code) || left === 0) throw error;
        change({ waiting: true });
        await back(signal);
        change({ waiting: false });
        return asked(left - 1);
      }
    };
    asked(TRIES)
      .then(
        (reply) => {
          change({ reply });
          return linked(reply.question);
        },
        (error) => change({ failure: error instanceof Failure ? error : new Failure(String(error), "unknown", 0) }),
      )
      .finally(() => signal.aborted || done({ ...latest }));
    return () => control.current.abort();
  }, []);
  const stop = () => {
    control.current.abort();
    setStopped(true);
  };
  return { ...run, stop, stopped };
}

/** Names of the entities that the search started from. */
export function anchorsOf(events: Happened[]): string[] {
  const linked = events.filter((event) => event.event === "linked");
  const mentions = linked.flatMap((event) => event.mentions as { candidates: { name: string }[] }[]);
  return mentions.flatMap((mention) => mention.candidates.slice(0, 1).map((candidate) => candidate.name));
}

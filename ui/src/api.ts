// The server's API: types of its replies, requests with the key, and the stream of a question.

import { lost } from "./connection";

export interface Status {
  version: string;
  workspaces: { name: string; triples: number; entities: number; documents: number; problem: string | null }[];
  methods: string[];
  method: string;
  llm: string | null;
  llm_problem: string | null;
  feedback: boolean;
}

export interface Node {
  id: string | null;
  name: string;
}

export interface Candidate {
  id: string;
  name: string;
  types: string[];
  description: string | null;
  triples: number;
  score: number;
  reason: string;
}

export interface Mention {
  text: string;
  chosen: boolean;
  candidates: Candidate[];
}

export interface Relation {
  id: string;
  relation: string;
  direction: "forward" | "backward";
  fan_out: number;
  neighbours: Node[];
}

export interface Entity {
  id: string;
  name: string;
  aliases: string[];
  types: Node[];
  description: string | null;
  triples: number;
  relations: Relation[];
}

export type Evidence = { id: string; source: string } & (
  | { kind: "triple"; head: string; relation: string; tail: string; keys?: [string, string, string] }
  | { kind: "passage"; entity: string; passage: string }
  | { kind: "calculation"; operation: string; result: string; from: string[] }
);

/** A value of the graph: an entity if it has a key, else a literal. */
export interface Value {
  key?: string;
  name: string;
  datatype?: string;
}

export type Kind = "entity" | "number" | "date" | "flag" | "text";

/** A column of displayed values. */
export interface Column {
  title: string;
  kind: Kind;
  /** Whether its digits are names, such as years and codes. */
  plain?: boolean;
  unit?: string | null;
  /** Whether its values decided the rows. */
  decided?: boolean;
}

export interface Place {
  id: string;
  name: string;
  latitude: number;
  longitude: number;
}

export interface Shown {
  columns: Column[];
  rows: (Value | null)[][];
  ordered: boolean;
  left_out: number;
  places: Place[];
}

export interface TypeView {
  id: string;
  title: string;
  rows: number;
  columns: { table: string; title: string; kind: Kind; to: string | null; values: number; several: boolean; examples: string[] }[];
}

export interface Overview {
  workspace: string;
  triples: number;
  entities: number;
  types: TypeView[];
  links: { from: string; to: string; title: string; triples: number }[];
  relations: { id: string; title: string; triples: number; heads: number; tails: number }[];
}

export interface TableRows {
  id: string;
  title: string;
  total: number;
  columns: Column[];
  rows: (Value | null)[][];
  more: boolean;
}

export interface AnswerTable {
  columns: string[];
  rows: (Value | null)[][];
  ordered: boolean;
  left_out: number;
}

/** A reading of the question. */
export interface Reading {
  words: string;
  sql?: string;
  sparql?: string;
  confidence: number;
  mends?: string[];
  remarks?: string[];
  unexplained?: string[];
  values?: string[];
}

/** Two independent statements about an answer, in the server's words. */
export interface Trust {
  values_held: boolean;
  values: string;
  sureness: "sure" | "fairly_sure" | "doubtful";
  reading: string;
}

export interface StageUsage {
  stage: string;
  llm_calls: number;
  seconds: number;
  model_seconds: number;
}

export interface Reply {
  workspace: string;
  cited: { text: string; citations: { number: number; id: string; sentence: string; markdown?: string }[] };
  sentences: string[];
  markdown: string;
  trust: Trust | null;
  failures: string[];
  question: string;
  status: "answered" | "abstained" | "invalid_question";
  answer: string;
  answers: string[];
  table?: AnswerTable;
  shown?: Shown | null;
  readings?: Reading[];
  grounded: boolean;
  confidence: number;
  method: string;
  llm: string;
  evidence: Evidence[];
  citations: string[];
  reason?: string;
  usage: {
    llm_calls: number;
    prompt_tokens: number;
    completion_tokens: number;
    cost?: { amount: number; currency: string };
    seconds: number;
    by_stage: StageUsage[];
  };
}

export interface Happened {
  stage: string;
  at: number;
  event: string;
  [field: string]: unknown;
}

/** An earlier turn of the conversation. */
export interface Turn {
  speaker: "person" | "answer";
  text: string;
  /** The entities of an answer, so that "them" means these and no namesakes. */
  values?: { key: string; name: string }[];
}

export interface Question {
  question: string;
  workspace?: string;
  method?: string;
  anchors?: string[];
  reading?: number;
  max_llm_calls?: number;
  conversation?: Turn[];
}

/** The server's error. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const KEY = "quipu-key";


export function setKey(key: string) {
  sessionStorage.setItem(KEY, key);
}

function headers(more: Record<string, string>): Record<string, string> {
  const key = sessionStorage.getItem(KEY);
  return key ? { ...more, authorization: `Bearer ${key}` } : more;
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    lost();
    throw new Failure("The server cannot be reached. Is `quipu serve` still running?", "unreachable", 0);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const { message, code } = body?.error ?? { message: response.statusText, code: "unknown" };
  throw new Failure(message, code, response.status);
}

async function get<T>(path: string, query: Record<string, string | undefined> = {}): Promise<T> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  const response = await request(search ? `${path}?${search}` : path, { headers: headers({}) });
  return response.json();
}

async function post(path: string, body: unknown, more: Record<string, string>, signal?: AbortSignal) {
  const init = { method: "POST", body: JSON.stringify(body), signal };
  return request(path, { ...init, headers: headers({ "content-type": "application/json", ...more }) });
}

export const status = () => get<Status>("/api/v1/status");

export const overview = (workspace?: string) => get<Overview>("/api/v1/overview", { workspace });

export const starters = (workspace?: string) =>
  get<{ questions: { question: string; shape: string }[]; complete: boolean }>("/api/v1/starters", { workspace });

export const tableRows = (id: string, query: Record<string, string | undefined>) =>
  get<TableRows>(`/api/v1/tables/${encodeURIComponent(id)}`, query);

/** Runs a query and returns its result in a format. */
export async function sparql(query: string, format: string, workspace?: string): Promise<{ type: string; text: string }> {
  const search = workspace ? `?${new URLSearchParams({ workspace })}` : "";
  const more = headers({ "content-type": "application/sparql-query", accept: format });
  const response = await request(`/sparql${search}`, { method: "POST", body: query, headers: more });
  return { type: response.headers.get("content-type") ?? "", text: await response.text() };
}

export const entity = (id: string, workspace?: string) =>
  get<Entity>(`/api/v1/entities/${encodeURIComponent(id)}`, { workspace });

export const entities = (name: string, workspace?: string) =>
  get<{ entities: Candidate[] }>("/api/v1/entities", { name, workspace });

export const neighbourhood = (id: string, workspace?: string) =>
  get<{ relations: Relation[] }>("/api/v1/neighbourhood", { id, workspace, limit: "4" });

export async function link(text: string, workspace?: string): Promise<Mention[]> {
  const response = await post("/api/v1/link", { text, workspace }, {});
  return (await response.json()).mentions;
}

export async function feedback(body: Record<string, unknown>) {
  await post("/api/v1/feedback", body, {});
}

/** Asks a question, passes on its events, and returns the answer. */
export async function ask(
  question: Question,
  signal: AbortSignal,
  happened: (event: Happened) => void,
): Promise<Reply> {
  const response = await post("/api/v1/ask", question, { accept: "text/event-stream" }, signal);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      if (signal.aborted) throw error;
      return { done: true, value: undefined };
    });
    if (done) lost();
    if (done || value === undefined) throw new Failure("The connection broke before the answer was complete. Ask again.", "broken_off", 0);
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) => block.split("\n").find((line) => line.startsWith(name))?.slice(name.length);
      const [name, data] = [field("event: "), field("data: ")];
      if (!data) continue;
      const body = JSON.parse(data);
      if (name === "trace") happened(body);
      if (name === "answer") return body;
      if (name === "error") throw new Failure(body.error.message, body.error.code, 200);
    }
  }
}

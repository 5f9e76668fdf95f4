// Previous questions, stored only in this browser, and links to questions.

import type { Question } from "./api";

const KEPT = "quipu-history";
const MOST = 50;

export function past(): Question[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

export function remember({ question, workspace, method }: Question): Question[] {
  const others = past().filter((old) => old.question !== question || old.workspace !== workspace);
  const kept = [{ question, workspace, method }, ...others].slice(0, MOST);
  localStorage.setItem(KEPT, JSON.stringify(kept));
  return kept;
}

export function forget(): Question[] {
  localStorage.removeItem(KEPT);
  return [];
}

/** The address of a question. */
export function permalink({ question, workspace, method, anchors, reading }: Question): string {
  const fields = new URLSearchParams({ q: question });
  if (workspace) fields.set("workspace", workspace);
  if (method) fields.set("method", method);
  if (reading) fields.set("reading", String(reading));
  for (const anchor of anchors ?? []) fields.append("anchor", anchor);
  return `#${fields}`;
}

/** The question of an address. */
export function fromAddress(hash: string): Question | null {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const question = fields.get("q");
  if (!question) return null;
  const anchors = fields.getAll("anchor");
  const [workspace, method] = [fields.get("workspace") ?? undefined, fields.get("method") ?? undefined];
  const reading = Number(fields.get("reading")) || undefined;
  return { question, workspace, method, reading, anchors: anchors.length ? anchors : undefined };
}

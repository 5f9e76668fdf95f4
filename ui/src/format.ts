// Numbers, dates and names as people read them.

import type { Column, Value } from "./api";

/** Most characters of a number; longer digit strings are text. */
const LONGEST_NUMBER = 24;

/** Adds separators and keeps all digits: 7737002.5 becomes 7,737,002.5. */
export function grouped(number: string): string {
  const [, sign, whole, rest] = /^([-+]?)(\d+)((?:\.\d+)?)$/.exec(number) ?? [];
  return whole === undefined ? number : sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + rest;
}

export function count(number: number): string {
  return grouped(String(number));
}

/** A value in the form of its column: years and codes unchanged, other numbers with separators and unit. */
export function shownValue({ name }: Value, { kind, plain, unit, title }: Column): string {
  if (kind !== "number" || plain) return name;
  // A title with the unit covers all rows.
  return unit && !title.includes(unit) ? `${grouped(name)} ${unit}` : grouped(name);
}

export function isNumber({ key, name }: Value): boolean {
  return key === undefined && name.length <= LONGEST_NUMBER && name.trim() !== "" && Number.isFinite(Number(name));
}

/** A date or a year as a number of years, for an axis. */
export function yearsOf(name: string): number | null {
  const [, year, month, day] = /^(-?\d{4,})(?:-(\d\d))?(?:-(\d\d))?/.exec(name) ?? [];
  if (year === undefined) return null;
  return Number(year) + (month ? (Number(month) - 1) / 12 : 0) + (day ? (Number(day) - 1) / 366 : 0);
}

/** A round step for about `ticks` ticks over a span. */
export function step(span: number, ticks: number): number {
  const rough = Math.max(span / ticks, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough)!;
}

/** Cuts a text to fit, with "…" at its end. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;
}

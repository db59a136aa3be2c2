// SPDX-License-Identifier: Apache-2.0
// The C of a kernel: each line shows its operations, and is shown by them.

import type { Schedule } from "../data.ts";
import { h } from "../dom.ts";
import { choice, note, scrolls } from "../parts.ts";
import type { Selection } from "./selection.ts";

/** The C, each of whose lines shows its operations, and is shown by them. */
export function source(schedule: Schedule, selection: Selection): HTMLElement {
  const shown = schedule.files.map((file, i) => ({ ...file, i })).filter((file) => file.text !== null);
  if (!shown.length) return note("The C is not there any more.");
  const use = usedLines(schedule);
  const most = Math.max(1, ...use.values());
  const files = shown.sort((a, b) => used(use, b.i) - used(use, a.i));
  return h("div", { class: "source" }, choice("which file", files.map((f) => f.name), (index, place) => {
    const file = files[index];
    const lines = file.text!.replace(/\n$/, "").split("\n").map((content, i) =>
      sourceLine(content, file.i, i + 1, use.get(key(file.i, i + 1)) ?? 0, most, schedule, selection));
    const list = scrolls(`C of ${file.name}`, h("div", { class: "code" }, ...lines));
    place.append(list);
    selection.watch(() => mark(schedule, selection, file.i, lines, list));
    if (index === 0) requestAnimationFrame(() => toFirstUsed(lines, list));
  }));
}

/** A line of a file, in one text. */
export function key(file: number, line: number): string {
  return `${file}:${line}`;
}

function used(use: Map<string, number>, file: number): number {
  return [...use].filter(([k]) => k.startsWith(`${file}:`)).reduce((sum, [, n]) => sum + n, 0);
}

function usedLines(schedule: Schedule): Map<string, number> {
  const found = new Map<string, number>();
  for (const row of schedule.operations)
    if (row[3]) found.set(key(row[2], row[3]), (found.get(key(row[2], row[3])) ?? 0) + 1);
  return found;
}

function sourceLine(
  content: string, file: number, line: number, count: number, most: number, schedule: Schedule,
  selection: Selection,
): HTMLElement {
  const number = h("span", { class: "line-number" }, String(line));
  if (!count) return h("div", { class: "line" }, number, h("code", {}, content || " "));
  const share = Math.max(0.12, count / most);
  return h("button", {
    class: "line has", type: "button", title: `${count} operations`,
    style: `--share:${share.toFixed(2)}`,
    onclick: () => selection.set(ofLine(schedule, file, line)),
  }, number, h("code", {}, content || " "));
}

function ofLine(schedule: Schedule, file: number, line: number): number[] {
  return schedule.operations.flatMap((row, i) => (row[2] === file && row[3] === line ? [i] : []));
}

function mark(
  schedule: Schedule, selection: Selection, file: number, lines: HTMLElement[], list: HTMLElement,
): void {
  const chosen = new Set(selection.operations.map((i) => schedule.operations[i])
    .filter((row) => row[2] === file).map((row) => row[3]));
  lines.forEach((line, i) => line.classList.toggle("chosen", chosen.has(i + 1)));
  const first = lines.find((line) => line.classList.contains("chosen"));
  if (first && !list.contains(document.activeElement)) center(first, list);
}

function center(line: HTMLElement, list: HTMLElement): void {
  list.scrollTop = line.offsetTop - list.clientHeight / 2;
}

function toFirstUsed(lines: HTMLElement[], list: HTMLElement): void {
  const first = lines.find((line) => line.classList.contains("has"));
  if (first) list.scrollTop = first.offsetTop - 40;
}

// SPDX-License-Identifier: Apache-2.0
// Published tables beside ours, and what commands about a platform or a batch have found.

import * as Plot from "@observablehq/plot";
import { series } from "../colours.ts";
import type { Json } from "../data.ts";
import { h, words } from "../dom.ts";
import { chart, legend, note, scrolls, section, table } from "../parts.ts";
import { plot } from "../plot.ts";
import { figure, rounded, text, Unit } from "../units.ts";

const ROLES: Record<string, string> = {
  independent: "predicted, from other numbers than this one",
  fitted: "a number of the model was chosen by it",
  interpreted: "what the paper counts had to be read into it",
  derived: "follows from other cells",
  beside: "another tool's work, set beside ours",
  given: "the paper's own, which goes in",
};

/** The colour of an error: none where digits agree, deeper up to 25 %. Sign and size are written. */
function shade(cell: Json): string {
  const size = Math.min(1, Math.abs(cell.error ?? 0) / 0.25);
  const hue = (cell.error ?? 0) > 0 ? "213,94,0" : "0,114,178";
  return `background:rgba(${hue},${(0.45 * size).toFixed(3)})`;
}

export function reproduction(result: Json, at: string): HTMLElement | null {
  if (result.format !== "tandem-reproduction") return null;
  const cells: Json[] = result.cells.map((cell: Json, i: number) => ({ ...cell, i }));
  const names = [...new Set(cells.map((cell) => cell.table))];
  return section("reproduction", "Published tables beside ours", ["published", "simulated"],
    errors(cells, at), ...names.map((name) => published(name, cells.filter((c) => c.table === name), at)));
}

function published(name: string, cells: Json[], at: string): HTMLElement {
  const columns = [...new Set(cells.map((cell) => cell.column))];
  const rows = [...new Set(cells.map((cell) => cell.row))].map((row) => [row,
    ...columns.map((column) => {
      const cell = cells.find((c) => c.row === row && c.column === column);
      return cell ? { cell: inCell(cell, at), style: shade(cell), class: `role-${cell.role}` } : "";
    })]);
  return table(`${name}: published, ours and the error`, ["row", ...columns.map((c) => `#${c}`)], rows);
}

function inCell(cell: Json, at: string): HTMLElement {
  const where = `${at}/cells/${cell.i}`;
  return h("span", { title: ROLES[cell.role] },
    cell.paper === null ? null : [figure(`${where}/paper`, cell.paper, "raw"), h("br")],
    cell.role === "given" ? null : figure(`${where}/ours`, cell.ours, ""),
    cell.error === null || cell.error === undefined || cell.role === "given" ? null
      : [h("br"), h("small", {}, figure(`${where}/error`, cell.error, "%"))]);
}

function errors(cells: Json[], at: string): HTMLElement {
  const rows = Object.keys(ROLES).flatMap((role) => {
    const chosen = cells.filter((cell) => cell.role === role && cell.error !== null);
    if (!chosen.length) return [];
    const worst = chosen.reduce((a, b) => (Math.abs(b.error) > Math.abs(a.error) ? b : a));
    const mean = chosen.reduce((sum, c) => sum + Math.abs(c.error), 0) / chosen.length;
    return [[role, ROLES[role], String(chosen.length),
      figure(`${at}/cells/${worst.i}/error`, worst.error, "%"), text(mean, "%")]];
  });
  return table("How far ours are off", ["cells", "what they are", "#number", "#largest error", "#mean"], rows);
}

export function batches(result: Json, at: string): HTMLElement | null {
  if (result.format !== "tandem-batches") return null;
  const drawing = plot("seconds a call over calls handed over together", () => ({
    height: 300, marginLeft: 62,
    x: { type: "log", label: "calls handed over together", ticks: 5, tickFormat: "~s" },
    y: { type: "log", label: "seconds a call", ticks: 5, grid: true, tickFormat: (s: number) => text(s, "s") },
    marks: [
      Plot.line(result.runs, { x: "calls", y: "predicted_s", stroke: series(0), strokeDasharray: "5 3" }),
      Plot.dot(result.runs, { x: "calls", y: "a_call_s", fill: series(1), r: 4,
        title: (r: Json) => `${r.calls} together: ${text(r.a_call_s, "s")} a call` }),
      ...(result.best ? [Plot.ruleX([result.best], { stroke: "var(--faint)", strokeDasharray: "3 3" })] : []),
    ],
  }));
  const costs = Object.entries<Json>(result.costs_s).map(([name, cost]) => [name,
    ...["seconds", "low", "high"].map((key) => figure(`${at}/costs_s/${name}/${key}`, cost[key], "s"))]);
  const rows = result.runs.map((run: Json, i: number) => [
    figure(`${at}/runs/${i}/calls`, run.calls, ""),
    ...["a_call_s", "predicted_s", "p50_s", "p99_s", "most_s"].map((key) =>
      figure(`${at}/runs/${i}/${key}`, run[key], "s"))]);
  return section("batches", "What a batch, a call and a byte cost", ["simulated", "fitted"],
    table("Costs", ["each", "#takes", "#with 95 % no less", "#no more"], costs),
    legend([[series(1), "runs"], [series(0), "by the costs"]]),
    chart("What a call costs, by how many are handed over together", drawing),
    table("Runs", ["#calls together", "#a call costs", "#predicted", "#half are there after", "#99 of 100",
      "#all"], rows));
}

const UNITS: Record<string, Unit> = { ps: "ps", "B/s": "B/s", B: "B" };

export function fit(result: Json, at: string): HTMLElement | null {
  if (result.format !== "tandem-platform-fit") return null;
  const numbers = result.numbers.map((row: Json, i: number) => [h("code", {}, row.name),
    ...["value", "low", "high"].map((key) =>
      figure(`${at}/numbers/${i}/${key}`, row[key], UNITS[row.unit] ?? "")),
    row.end ? "not at all: the search came to its end" : row.tied.length
      ? `not apart from ${row.tied.join(", ")}` : row.low === null ? "by as many measurements as numbers" : "yes"]);
  const rows = result.measurements.map((row: Json, i: number) => [
    [...row.arguments, ...row.changes.map((c: string) => `--set ${c}`)].join(" "), row.figure,
    figure(`${at}/measurements/${i}/measured_s`, row.measured_s, "s"),
    figure(`${at}/measurements/${i}/fitted_s`, row.fitted_s, "s"),
    text(row.fitted_s / row.measured_s - 1, "%"),
  ]);
  const drawing = plot("fitted over measured times", () => ({
    height: 320, marginLeft: 62,
    x: { type: "log", label: "measured", tickFormat: (s: number) => text(s, "s"), ticks: 5 },
    y: { type: "log", label: "by the platform with these numbers", tickFormat: (s: number) => text(s, "s"),
      ticks: 5, grid: true },
    marks: [
      Plot.line(diagonal(result.measurements), { x: 0, y: 1, stroke: "var(--faint)", strokeDasharray: "3 3" }),
      Plot.dot(result.measurements, { x: "measured_s", y: "fitted_s", fill: series(0), r: 4 }),
    ],
  }));
  return section("fit", "A platform's numbers from measured times", ["measured", "fitted"],
    table("Numbers", ["number", "#value", "#with 95 % no less", "#no more", "told apart"], numbers),
    chart("Each measurement: on the line both agree", drawing),
    table("Measurements", ["arguments", "time", "#measured", "#fitted", "#error"], rows));
}

function diagonal(rows: Json[]): [number, number][] {
  const all = rows.map((row) => row.measured_s);
  const least = Math.min(...all), most = Math.max(...all);
  return [[least, least], [most, most]];
}

export function ladder(result: Json, at: string): HTMLElement | null {
  if (result.format !== "tandem-ladder-result") return null;
  const keys: [string, string][] = [["cycles_an_item", "#cycles an item"], ["ii", "#ii"],
    ["latency_cycles", "#latency"], ["lut4", "#LUT4"], ["ff", "#FF"], ["dsp", "#multipliers"],
    ["fmax_mhz", "#MHz"], ["gain", "#gain"], ["speedup", "#in all"]];
  const rows = result.steps.map((step: Json, i: number) => [
    `${i} ${(step.taken ?? []).map((row: Json) => row.refine).join(", ") || "as written"}`,
    ...keys.map(([key]) => figure(`${at}/steps/${i}/${key}`, step[key], "")),
  ]);
  const edits = result.steps.flatMap((step: Json, i: number) => i ? [h("details", {},
    h("summary", {}, `${i}. ${step.summaries.join("; ")}`),
    scrolls(`edit of step ${i}`, h("pre", {}, step.edit ?? "no edit")))] : []);
  const drawing = plot("cycles an item, step by step", () => ({
    height: 300, marginLeft: 62,
    x: { label: "step", ticks: result.steps.length, tickFormat: "d" },
    y: { type: "log", label: "cycles an item", grid: true, ticks: 5 },
    marks: [
      Plot.line(result.steps, { x: (_: Json, i: number) => i, y: "cycles_an_item", stroke: series(0),
        curve: "step-after", strokeWidth: 2 }),
      Plot.dot(result.steps, { x: (_: Json, i: number) => i, y: "cycles_an_item", fill: series(0) }),
    ],
  }));
  return section("ladder", "From the C as written to what the compiler makes of it", ["proven", "estimated"],
    chart("Cycles an item, step by step", drawing), table("Steps", ["step", ...keys.map(([, t]) => t)], rows),
    ...edits);
}

const SHOWN = new Set(["format", "format_version", "notes"]);

/** What no other section shows: a result of any command as it is. */
export function rest(result: Json, at: string): HTMLElement {
  return section("everything", "The data of this page", [],
    note("Everything above is made of this, which `tandem report` reads again."),
    h("details", {}, h("summary", {}, "as a tree"), h("div", { class: "tree" },
      ...Object.entries<Json>(result).filter(([key]) => !SHOWN.has(key))
        .map(([key, value]) => tree(key, value, `${at}/${key}`, 0)))));
}

const DEEPEST = 6, MOST_ROWS = 200;

function tree(name: string, value: Json, at: string, depth: number): HTMLElement {
  if (value === null || typeof value !== "object")
    return h("div", { class: "leaf" }, `${name}: `,
      typeof value === "number" ? rounded(value, 6) : words(String(value)));
  const entries = Object.entries<Json>(value);
  const made = h("details", {}, h("summary", {}, `${name} (${entries.length})`));
  let isDrawn = false;
  made.addEventListener("toggle", () => {
    if (isDrawn || depth > DEEPEST) return;
    isDrawn = true;
    for (const [key, inner] of entries.slice(0, MOST_ROWS)) made.append(tree(key, inner, `${at}/${key}`, depth + 1));
  });
  return made;
}

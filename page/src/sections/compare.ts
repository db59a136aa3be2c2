// SPDX-License-Identifier: Apache-2.0
// Two results side by side, and whether kernels keep their budgets.

import * as Plot from "@observablehq/plot";
import { series } from "../colours.ts";
import type { Json } from "../data.ts";
import { h, words } from "../dom.ts";
import { chart, note, section, table } from "../parts.ts";
import { namesAtLeft, plot } from "../plot.ts";
import { figure, text, Unit } from "../units.ts";

const COLOUR: Record<string, string> = {
  better: series(2), worse: series(1), noise: "#999999", other: series(0), same: "#999999",
};
const TOLD: Record<string, string> = {
  better: "better", worse: "worse", same: "the same", noise: "within noise", other: "otherwise",
  added: "new", removed: "gone",
};
const UNITS: Record<string, Unit> = { s: "s", ns: "ns", cycles: "cycles", bytes: "B" };
const MOST_BARS = 24;

export function compared(result: Json, at: string): HTMLElement | null {
  if (result.format !== "tandem-compare") return null;
  const rows: Json[] = result.rows.map((row: Json, i: number) => ({ ...row, i }));
  const changed = rows.filter((row) => !["same", "noise"].includes(row.verdict));
  return section("compared", "What got better, and what worse", ["simulated", "measured"],
    h("p", {}, h("code", {}, result.before), " and then ", h("code", {}, result.after), ": ",
      figure(`${at}/better`, result.better, ""), " figures are better, ",
      figure(`${at}/worse`, result.worse, ""), " worse; measured ones count as alike within ",
      figure(`${at}/measured_percent`, result.measured_percent, ""), " %."),
    ratios(changed.filter((row) => row.ratio > 0)),
    changed.length ? figures("What differs", changed, at) : note("Nothing differs."),
    h("details", {}, h("summary", {}, `all ${rows.length} figures`), figures("All figures", rows, at)));
}

function ratios(rows: Json[]): HTMLElement | null {
  const shown = [...rows].sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)))
    .slice(0, MOST_BARS).map((row) => ({ ...row, label: `${row.place}: ${row.name}` }));
  if (!shown.length) return null;
  const names = shown.map((row) => row.label);
  return chart("After, by before: 1 is as it was", plot("ratios of figures after and before", (width) => {
    const { px, fit } = namesAtLeft(names, width);
    return {
      height: 24 * shown.length + 60, marginLeft: px, marginRight: 40,
      x: { type: "log", label: "after / before", ticks: 5, tickFormat: "~g", grid: true },
      y: { domain: names, label: null, tickSize: 0, tickFormat: fit },
      marks: [
        Plot.ruleX([1]),
        Plot.barX(shown, { x1: 1, x2: "ratio", y: "label", fill: (row: Json) => COLOUR[row.verdict],
          title: (row: Json) => `${row.label}: ${text(row.ratio, "x")}, ${TOLD[row.verdict]}` }),
      ],
    };
  }));
}

function figures(caption: string, rows: Json[], at: string): HTMLElement {
  const body = rows.map((row) => {
    const where = `${at}/rows/${row.i}`, unit = UNITS[row.unit] ?? "";
    return [row.place, row.name, figure(`${where}/before`, row.before, unit),
      figure(`${where}/after`, row.after, unit), figure(`${where}/ratio`, row.ratio, "x"),
      TOLD[row.verdict], row.limit ? h("span", {}, ...words(row.limit)) : ""];
  });
  return table(caption, ["of", "figure", "#before", "#after", "#ratio", "verdict", "what limits it now"], body);
}

export function budgets(result: Json, at: string): HTMLElement | null {
  if (result.format !== "tandem-check") return null;
  const rows = result.kernels.flatMap((kernel: Json, k: number) => [
    ...kernel.limits.map((limit: Json, i: number) => {
      const where = `${at}/kernels/${k}/limits/${i}`;
      return [h("code", {}, kernel.kernel), limit.name, figure(`${where}/value`, limit.value, ""),
        figure(`${where}/most`, limit.most, ""), limit.is_kept ? "kept" : "NOT KEPT",
        limit.reason ? h("span", {}, ...words(limit.reason.message), h("br"),
          h("small", {}, ...words(limit.reason.help))) : ""];
    }),
    ...kernel.errors.map((error: Json) => [h("code", {}, kernel.kernel), "–", "–", "–", "cannot be built",
      h("span", {}, ...words(error.message), h("br"), h("small", {}, ...words(error.help)))]),
  ]);
  return section("budgets", "Budgets of kernels", ["estimated", "simulated"],
    table("Each limit", ["kernel", "limit", "#is", "#at most", "", "why not, and the cure"], rows));
}

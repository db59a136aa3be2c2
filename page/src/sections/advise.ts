// SPDX-License-Identifier: Apache-2.0
// Which functions of an application are worth offloading, alone and together, and what stops others.

import * as Plot from "@observablehq/plot";
import { CATEGORY, series } from "../colours.ts";
import type { Json } from "../data.ts";
import { Child, h, words } from "../dom.ts";
import { chart, legend, meter, note, section, table } from "../parts.ts";
import { namesAtLeft, plot } from "../plot.ts";
import { figure, text } from "../units.ts";

const VERDICTS: Record<string, string> = {
  yes: "worth it", "once-configured": "once configured", no: "no", untried: "not tried",
};
const MOST_ROWS = 14;

export function advised(result: Json, at: string): HTMLElement | null {
  if (result.format !== "tandem-advise") return null;
  return section("advised", "What to offload", ["measured", "simulated"],
    answer(result, at), sets(result, at), bound(result), candidates(result, at), loops(result, at),
    result.untried.length
      ? note(`Not compiled, for want of --most: ${result.untried.join(", ")}.`) : null);
}

function answer(result: Json, at: string): Child {
  const { best } = result;
  if (!best) return h("p", { class: "verdict" }, "Nothing of this application is worth offloading here.");
  return h("p", { class: "verdict" }, "Offload ", ...best.functions.flatMap((name: string, i: number) =>
    [i ? " and " : "", h("code", {}, name)]), ": the application is ",
    figure(`${at}/best/application_gain`, best.application_gain, "x"), " as fast, ",
    figure(`${at}/best/application_s`, best.application_s, "s"), " for ",
    figure(`${at}/native/total_s`, result.native.total_s, "s"), " in software.");
}

/** The application's time with each set that was tried, beside software. */
function sets(result: Json, at: string): Child {
  const rows: { name: string; seconds: number; kind: string }[] = [
    { name: "in software", seconds: result.native.total_s, kind: "software" },
    ...result.sets.slice(0, MOST_ROWS).map((set: Json) =>
      ({ name: set.functions.join(" + "), seconds: set.application_s, kind: "compute" }))];
  const names = rows.map((row) => row.name);
  const drawing = plot("the application's time, by what is offloaded", (width) => {
    const { px, fit } = namesAtLeft(names, width);
    return {
      height: 26 * rows.length + 60, marginLeft: px, marginRight: 30,
      x: { type: "log", label: "time of the application", grid: true, tickFormat: (s: number) => text(s, "s"), ticks: width < 500 ? 3 : 5 },
      y: { domain: names, label: null, tickSize: 0, tickFormat: fit },
      marks: [
        Plot.ruleX([result.native.total_s], { stroke: CATEGORY.software, strokeDasharray: "4 3" }),
        Plot.ruleY(rows, { x1: result.native.total_s, x2: "seconds", y: "name", stroke: "var(--faint)" }),
        Plot.dot(rows, { x: "seconds", y: "name", fill: (row) => CATEGORY[row.kind], r: 5,
          title: (row) => `${row.name}: ${text(row.seconds, "s")}` }),
      ],
    };
  });
  const body = result.sets.map((set: Json, i: number) => {
    const where = `${at}/sets/${i}`;
    return [h("code", {}, set.functions.join(" + ")),
      figure(`${where}/application_s`, set.application_s, "s"),
      figure(`${where}/application_gain`, set.application_gain, "x"),
      figure(`${where}/application_gain_once`, set.application_gain_once, "x"),
      figure(`${where}/software_s`, set.software_s, "s"), figure(`${where}/total_s`, set.total_s, "s"),
      figure(`${where}/loads`, set.loads, ""), set.bottleneck];
  });
  if (!result.sets.length) return null;
  return [chart("Time of the application with each set that was tried", drawing),
    table("Sets, each tried by a run", ["offloaded", "#application", "#gain", "#once configured",
      "#calls in C", "#calls offloaded", "#loads", "what takes the time"], body)];
}

/** How much each function could give at most, and what it gives. */
function bound(result: Json): Child {
  const rows = result.candidates.slice(0, MOST_ROWS).map((row: Json, i: number) => ({ ...row, i }))
    .filter((row: Json) => row.amdahl !== null);
  if (!rows.length) return null;
  const names = rows.map((row: Json) => row.name);
  const drawing = plot("Amdahl's bound of each function, and what it gains", (width) => {
    const { px, fit } = namesAtLeft(names, width);
    return {
      height: 26 * rows.length + 60, marginLeft: px, marginRight: 30,
      x: { type: "log", label: "times as fast", grid: true, ticks: 5, tickFormat: "~g" },
      y: { domain: names, label: null, tickSize: 0, tickFormat: fit },
      marks: [
        Plot.ruleX([1], { stroke: "var(--faint)" }),
        Plot.tickX(rows, { x: "amdahl", y: "name", stroke: series(0), strokeWidth: 3,
          title: (row: Json) => `${row.name}: at most ${text(row.amdahl, "x")}` }),
        Plot.dot(rows.filter((row: Json) => row.alone), { x: (row: Json) => row.alone.application_gain,
          y: "name", fill: series(1), r: 4,
          title: (row: Json) => `${row.name}: ${text(row.alone.application_gain, "x")}` }),
      ],
    };
  });
  return [legend([[series(0), "hardware that takes no time"], [series(1), "as it runs"]]),
    chart("Amdahl's bound of each function, and what it gains alone", drawing)];
}

function candidates(result: Json, at: string): HTMLElement {
  const rows = result.candidates.map((row: Json, i: number) => {
    const where = `${at}/candidates/${i}`;
    return [h("code", {}, row.name), VERDICTS[row.verdict] ?? row.verdict,
      figure(`${where}/calls`, row.calls, ""), figure(`${where}/whole_s`, row.whole_s, "s"),
      meter(figure(`${where}/share`, row.share, "%"), row.share),
      figure(`${where}/amdahl`, row.amdahl, "x"),
      row.alone ? figure(`${where}/alone/application_gain`, row.alone.application_gain, "x") : "–",
      row.alone?.break_even_bytes
        ? figure(`${where}/alone/break_even_bytes/no_config`, row.alone.break_even_bytes.no_config, "B") : "–",
      reasons(row.reasons)];
  });
  return table("Functions, by their time", ["function", "verdict", "#calls", "#time", "#share", "#at most",
    "#gain alone", "#break-even once configured", "what stops it, and the edit"], rows);
}

function reasons(rows: Json[]): Child {
  return rows.length ? h("ul", { class: "plain" }, ...rows.map((row) => h("li", {},
    row.file ? `${row.file.split("/").pop()}${row.line ? `:${row.line}` : ""}: ` : "",
    ...words(row.message), row.help ? [h("br"), h("small", {}, ...words(row.help))] : null))) : "–";
}

function loops(result: Json, at: string): HTMLElement {
  const rows = result.loops.slice(0, MOST_ROWS).map((row: Json, i: number) => {
    const where = `${at}/loops/${i}`;
    return [h("code", {}, row.function), `${row.file.split("/").pop()}:${row.line}`,
      figure(`${where}/entries`, row.entries, ""), figure(`${where}/whole_s`, row.whole_s, "s"),
      meter(figure(`${where}/share`, row.share, "%"), row.share)];
  });
  return h("div", {}, table("Outermost loops, by their time",
    ["in", "at", "#begun", "#time", "#share"], rows),
    result.obstacles.length ? h("div", {}, h("p", {}, "Of main:"), reasons(result.obstacles)) : null);
}

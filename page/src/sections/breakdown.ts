// SPDX-License-Identifier: Apache-2.0
// Where the time of a run went, in the three ways of measuring.

import * as Plot from "@observablehq/plot";
import { CATEGORY, series } from "../colours.ts";
import type { Json } from "../data.ts";
import { h, words } from "../dom.ts";
import { chart, choice, legend, section, swatch, table } from "../parts.ts";
import { namesAtLeft, plot } from "../plot.ts";
import { esc, figure, ratio, text } from "../units.ts";

export const NAMES: Record<string, string> = {
  configure: "configure", host: "host", call: "call", copy: "copy", transfer_in: "transfer in",
  compute: "compute", transfer_out: "transfer out", wait: "wait",
};

interface Part { row: string; category: string; seconds: number }

/** Of which categories each way of measuring is the sum. */
function parts(run: Json): Part[] {
  const all = Object.entries<number>(run.breakdown_s);
  const ways: [string, (name: string) => boolean][] = [
    ["total", () => true],
    ["without configuration", (name) => name !== "configure"],
    ["device only", (name) => name === "compute"],
  ];
  return ways.flatMap(([row, has]) =>
    all.filter(([name]) => has(name)).map(([category, seconds]) => ({ row, category, seconds })));
}

function stacked(found: Part[], rows: string[], isShare: boolean): HTMLElement {
  const used = Object.keys(NAMES).filter((c) => found.some((p) => p.category === c && p.seconds));
  const domain = [...used, "software"];
  return plot("bars of times, each the sum of what it went into", (width) => {
    const { px, fit } = namesAtLeft(rows, width);
    return {
      marginLeft: px, marginRight: 30, height: 38 * rows.length + 60,
      x: isShare ? { percent: true, label: "share of the time, %" }
        : { label: "time", tickFormat: (s: number) => text(s, "s"), ticks: width < 500 ? 3 : 6 },
      y: { domain: rows, label: null, tickSize: 0, tickFormat: fit },
      color: { domain, range: domain.map((c) => CATEGORY[c]) },
      marks: [
        Plot.barX(found.filter((p) => p.seconds > 0), {
          x: "seconds", y: "row", fill: "category", offset: isShare ? "normalize" : undefined,
          order: domain, insetLeft: 0.5, insetRight: 0.5,
          title: (p: Part) => `${p.row}: ${NAMES[p.category] ?? p.category} ${text(p.seconds, "s")}`,
        }),
        Plot.ruleX([0]),
      ],
    };
  });
}

export function breakdown(run: Json, at: string): HTMLElement | null {
  if (!run.breakdown_s) return null;
  const found = parts(run);
  const rows = ["total", "without configuration", "device only"];
  for (const [name, seconds] of Object.entries<number>(run.baselines_s ?? {})) {
    found.push({ row: name, category: "software", seconds });
    rows.push(name);
  }
  const used = Object.keys(NAMES).filter((c) => run.breakdown_s[c] > 0);
  const bars = choice("what the bars show", ["seconds", "shares"], (index, place) => {
    place.append(chart(
      index ? "Shares of the time, by what it went into" : "Time, by what it went into",
      stacked(found, rows, index === 1),
    ));
  });
  return section("breakdown", "Where the time went", [origin(run)],
    legend([...used, ...(run.baselines_s ? ["software"] : [])].map((c) => [CATEGORY[c], NAMES[c] ?? c])), bars,
    categories(run, at), ways(run, at), run.bottleneck ? h("p", {}, ...words(run.bottleneck)) : null);
}

function origin(run: Json): "measured" | "simulated" {
  return run.mode === "native" ? "measured" : "simulated";
}

function categories(run: Json, at: string): HTMLElement {
  const rows = Object.keys(NAMES).map((c) => {
    const of = `${at}/breakdown_s/${c}`;
    return [
      swatch(CATEGORY[c], NAMES[c]),
      figure(of, run.breakdown_s[c], "s"),
      ratio(of, run.breakdown_s[c], `${at}/total_s`, run.total_s),
      figure(`${at}/busy_s/${c}`, run.busy_s[c], "s"),
      figure(`${at}/fixed_s/${c}`, run.fixed_s[c], "s"),
    ];
  });
  return table("Each instant belongs to one category; what another one hides is in `busy` alone",
    ["category", "#exposed", "#share", "#busy", "#of that fixed"], rows);
}

/** The three ways of measuring beside software. */
function ways(run: Json, at: string): HTMLElement {
  const names = Object.keys(run.baselines_s ?? {});
  const keys: [string, string, string][] = [
    ["total", "total_s", "total"],
    ["without configuration", "no_config_s", "no_config"],
    ["device only", "device_s", "device"],
  ];
  const rows = keys.map(([title, key, way]) => [
    title,
    figure(`${at}/${key}`, run[key], "s"),
    run.data_bytes ? ratio(`${at}/data_bytes`, run.data_bytes, `${at}/${key}`, run[key], "B/s") : "–",
    ...names.map((name) => figure(`${at}/speedups/${esc(name)}/${way}`, run.speedups[name]?.[way], "x")),
  ]);
  for (const name of names)
    rows.push([
      name,
      figure(`${at}/baselines_s/${esc(name)}`, run.baselines_s[name], "s"),
      ratio(`${at}/data_bytes`, run.data_bytes, `${at}/baselines_s/${esc(name)}`, run.baselines_s[name],
        "B/s"),
      ...names.map(() => ""),
    ]);
  return table(`Three ways of measuring, and software on this machine`,
    ["", "#time", `#rate of ${run.data_kind ?? "data"}`, ...names.map((n) => `#vs ${n}`)], rows);
}

const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 4"];

/** Times over the bytes of a call, and where lines cross. */
export function breakEven(run: Json, at: string): HTMLElement | null {
  const found = run.break_even_bytes;
  if (!found || !run.data_bytes || !Object.keys(found).length) return null;
  const lines = lineRows(run);
  const most = 4 * Math.max(run.data_bytes, ...crossings(found).map(([, , bytes]) => bytes));
  const sizes = Array.from({ length: 60 }, (_, i) => 8 * (most / 8) ** (i / 59));
  const points = lines.flatMap((line) => sizes.map((bytes) => ({
    name: line.name, bytes, seconds: line.fixed + (line.slope * bytes),
  })));
  const drawing = plot("times over the bytes of a call, a line each", () => ({
    height: 340, marginLeft: 62, marginRight: 20,
    x: { type: "log", label: `bytes of ${run.data_kind}`, tickFormat: (b: number) => text(b, "B"), ticks: 5 },
    y: { type: "log", label: "time", tickFormat: (s: number) => text(s, "s"), ticks: 5, grid: true },
    marks: [
      ...lines.map((line, i) => Plot.line(points.filter((p) => p.name === line.name),
        { x: "bytes", y: "seconds", stroke: series(i), strokeWidth: 2, strokeDasharray: DASHES[i % 5] })),
      Plot.ruleX([run.data_bytes], { stroke: "var(--faint)", strokeDasharray: "3 3",
        title: () => `this run: ${text(run.data_bytes, "B")}` }),
    ],
  }));
  const rows = crossings(found).map(([name, way, bytes]) => [
    `${way === "total" ? "total" : "once configured"} against ${name}`,
    figure(`${at}/break_even_bytes/${esc(name)}/${way}`, bytes, "B"),
  ]);
  return section("break-even", "From how much on it pays", ["simulated", "measured"],
    legend(lines.map((line, i) => [series(i), line.name])),
    chart("Time of one call of so many bytes; where lines cross both take as long", drawing),
    table("Break-even sizes", ["", "#bytes"], rows));
}

/** Runs of several platforms, a line each: which one is fastest from how much on. */
export function platforms(runs: { run: Json; at: string }[]): HTMLElement | null {
  const shown = runs.filter(({ run }) => run.fixed_s && run.data_bytes && run.total_s);
  if (shown.length < 2) return null;
  const lines = shown.flatMap(({ run }, i) => lineRows(run).slice(0, 2).map((line, way) =>
    ({ ...line, name: `${run.platform ?? "this machine"}, ${line.name}`, i, way })));
  const most = 16 * Math.max(...shown.map(({ run }) => run.data_bytes));
  const sizes = Array.from({ length: 60 }, (_, i) => 8 * (most / 8) ** (i / 59));
  const drawing = plot("time of a call over its bytes, two lines a platform", () => ({
    height: 360, marginLeft: 62, marginRight: 20,
    x: { type: "log", label: "bytes of a call", tickFormat: (b: number) => text(b, "B"), ticks: 5 },
    y: { type: "log", label: "time", tickFormat: (s: number) => text(s, "s"), ticks: 5, grid: true },
    marks: lines.map((line) => Plot.line(sizes.map((bytes) => ({ bytes, seconds: line.fixed + line.slope * bytes })),
      { x: "bytes", y: "seconds", stroke: series(line.i), strokeWidth: 2,
        strokeDasharray: line.way ? "5 3" : "" })),
  }));
  const rows = shown.map(({ run, at }, i) => [
    swatch(series(i), run.platform_title ?? "this machine"),
    figure(`${at}/total_s`, run.total_s, "s"), figure(`${at}/no_config_s`, run.no_config_s, "s"),
    figure(`${at}/device_s`, run.device_s, "s"), run.bottleneck]);
  return section("platforms", "Runs beside each other", ["simulated"],
    table("Each run", ["platform", "#total", "#without configuration", "#device only", "what takes the time"], rows),
    chart("Time of one call of so many bytes: whole lines with configuration, broken ones once configured",
      drawing));
}

function crossings(found: Json): [string, string, number][] {
  return Object.entries<Json>(found).flatMap(([name, ways]) =>
    ["total", "no_config"].filter((way) => ways[way] !== null && ways[way] !== undefined)
      .map((way): [string, string, number] => [name, way, ways[way]]));
}

/** Of one call: what it takes whatever it is given, and for each byte (`break_even` of the run). */
function lineRows(run: Json): { name: string; fixed: number; slope: number }[] {
  const once = run.fixed_s.configure;
  const slope = (run.total_s - sum(run.fixed_s)) / run.data_bytes;
  const each = (sum(run.fixed_s) - once) / Math.max(1, run.calls);
  return [
    { name: "total", fixed: once + each, slope },
    { name: "once configured", fixed: each, slope },
    ...Object.entries<number>(run.baselines_s).map(([name, seconds]) =>
      ({ name, fixed: 0, slope: seconds / run.data_bytes })),
  ];
}

function sum(parts: Record<string, number>): number {
  return Object.values(parts).reduce((a, b) => a + b, 0);
}

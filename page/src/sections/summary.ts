// SPDX-License-Identifier: Apache-2.0
// What a page is about, and its answer in a few figures.

import type { Json } from "../data.ts";
import { Child, h, words } from "../dom.ts";
import { badge, note, Origin, section, table } from "../parts.ts";
import { esc, figure, text, Unit } from "../units.ts";

function tile(name: string, value: Child, origin: Origin): HTMLElement {
  return h("div", { class: "tile" }, h("div", { class: "tile-name" }, name),
    h("div", { class: "tile-value" }, value), badge(origin));
}

type Tile = [name: string, path: string, unit: Unit, origin: Origin];

const TILES: Record<string, Tile[]> = {
  "tandem-run-result": [
    ["total", "total_s", "s", "simulated"],
    ["without configuration", "no_config_s", "s", "simulated"],
    ["device only", "device_s", "s", "simulated"],
    ["calls", "calls", "", "measured"],
  ],
  "tandem-build-result": [
    ["ii", "ii", "cycles", "proven"],
    ["latency, cycles", "latency_cycles", "cycles", "proven"],
    ["clock reached", "fmax_mhz", "MHz", "estimated"],
    ["LUT4", "resources.lut4", "", "estimated"],
    ["FF", "resources.ff", "", "estimated"],
  ],
  "tandem-verify-result": [
    ["calls compared", "checked_calls", "", "simulated"],
    ["calls that differ", "mismatches", "", "simulated"],
    ["cycles", "cycles", "cycles", "simulated"],
  ],
  "tandem-chip-result": [
    ["time", "total_s", "s", "simulated"],
    ["cycles", "cycles", "cycles", "simulated"],
    ["instructions", "instructions", "", "simulated"],
    ["energy", "energy.total_j", "J", "estimated"],
  ],
  "tandem-batches": [
    ["best batch, calls", "best", "", "simulated"],
    ["calls", "calls", "", "measured"],
    ["bytes a call", "bytes_a_call", "B", "measured"],
  ],
};

export function at(value: Json, path: string): Json {
  return path.split(".").reduce((found, key) => found?.[key], value);
}

export function summary(result: Json, path: string): HTMLElement | null {
  const measured = result.resources?.estimated === false;
  const rows = (TILES[result.format] ?? []).filter(([, where]) => {
    const value = at(result, where);
    return value !== null && value !== undefined;
  });
  const tiles = rows.map(([name, where, unit, origin]) => tile(name,
    figure(`${path}/${where.replaceAll(".", "/")}`, at(result, where), unit),
    measured && origin === "estimated" ? "measured" : origin));
  for (const [name, ways] of Object.entries<Json>(result.speedups ?? {}))
    tiles.push(tile(`vs ${name}`, figure(`${path}/speedups/${esc(name)}/total`, ways.total, "x"), "simulated"));
  const told = [subtitle(result), ...warnings(result)].filter(Boolean);
  if (!tiles.length && !told.length) return null;
  return section("summary", "In short", [], ...told, h("div", { class: "tiles" }, ...tiles),
    result.bottleneck ? h("p", { class: "verdict" }, ...words(result.bottleneck)) : null,
    notes(result.notes));
}

function subtitle(result: Json): Child {
  const chip = result.platform_chip ? `, kernels scheduled with the delays of
    ${result.kernels?.[0]?.target ?? "another family"} in place of ${result.platform_chip}'s` : "";
  if (result.platform_title)
    return h("p", { class: "subtitle" }, `${result.platform_title}${result.mode ? `, mode ${result.mode}` : ""}${chip}`);
  if (result.clock_ns && result.target)
    return h("p", { class: "subtitle" }, `for ${result.target} at ${text(result.clock_ns, "ns")}`);
  return null;
}

function warnings(result: Json): Child[] {
  const told: string[] = [];
  if (result.wrong_results) told.push(`the platform's device gives wrong results: ${result.wrong_results}`);
  if (result.note) told.push(result.note);
  for (const text of result.unmet ?? []) told.push(text);
  if (result.mismatches) told.push(`${result.mismatches} calls differ between RTL and C`);
  return told.map((text) => h("p", { class: "warning", role: "note" }, ...words(text)));
}

function notes(rows: Json[] | undefined): Child {
  if (!rows?.length) return null;
  return h("details", {}, h("summary", {}, `${rows.length} notes`), h("ul", {}, ...rows.map((row) =>
    h("li", {}, `${row.file}${row.line ? `:${row.line}` : ""}: `, ...words(row.message),
      row.help ? [h("br"), ...words(row.help)] : null))));
}

/** What would help, tried by running again. */
export function advice(run: Json, path: string): HTMLElement | null {
  if (!run.advice?.length && !run.host_calls?.reasons?.length && !run.annotations?.length)
    return null;
  const rows = (run.advice ?? []).map((row: Json, i: number) => {
    const key = `${path}/advice/${i}`;
    return [words(row.name), h("code", {}, row.options.join(" ")),
      figure(`${key}/total_s`, row.total_s, "s"), figure(`${key}/gain`, row.gain, "x"),
      figure(`${key}/no_config_s`, row.no_config_s, "s"),
      figure(`${key}/gain_no_config`, row.gain_no_config, "x")];
  });
  const reasons = (run.host_calls?.reasons ?? []).map((row: Json, i: number) => [
    words(row.reason), row.example ? h("code", {}, row.example) : "",
    row.directive ? h("code", {}, row.directive) : "–",
    figure(`${path}/host_calls/reasons/${i}/calls`, row.calls, ""),
  ]);
  return section("advice", "What would help", ["simulated"],
    rows.length ? table("Changes that were tried, and what each gives", 
        ["change", "options", "#total", "#gain", "#once configured", "#gain"], rows)
      : note("Run with --advise, and everything that could be otherwise is tried."),
    reasons.length ? table("Calls that ran on the host", ["why", "first at", "cure", "#calls"], reasons)
      : null);
}

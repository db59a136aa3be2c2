// SPDX-License-Identifier: Apache-2.0
// A run on a system on one chip: cycles of calls and functions, energy, area.

import * as Plot from "@observablehq/plot";
import { CATEGORY, series } from "../colours.ts";
import type { Json } from "../data.ts";
import { h } from "../dom.ts";
import { chart, legend, meter, section, table } from "../parts.ts";
import { namesAtLeft, plot } from "../plot.ts";
import { figure, ratio, text } from "../units.ts";

const PARTS = ["call", "transfer", "copy", "compute", "wait"];

function bars(rows: { row: string; part: string; value: number }[], domain: string[],
  colours: string[], label: string, format: (value: number) => string): HTMLElement {
  const names = [...new Set(rows.map((r) => r.row))];
  return plot(`bars of ${label}`, (width) => {
    const { px, fit } = namesAtLeft(names, width);
    return {
      height: 38 * names.length + 60, marginLeft: px, marginRight: 30,
      x: { label, tickFormat: format, ticks: width < 500 ? 3 : 5 },
      y: { domain: names, label: null, tickSize: 0, tickFormat: fit },
      color: { domain, range: colours },
      marks: [Plot.barX(rows, { x: "value", y: "row", fill: "part", order: domain, insetLeft: 0.5,
        insetRight: 0.5, title: (r: Json) => `${r.row}: ${r.part} ${format(r.value)}` }), Plot.ruleX([0])],
    };
  });
}

export function chip(run: Json, at: string): HTMLElement | null {
  if (run.format !== "tandem-chip-result") return null;
  const kernels: Json[] = run.kernels;
  const rows = kernels.flatMap((kernel) => [
    ...PARTS.map((part) => ({ row: kernel.kernel, part, value: kernel.parts[part] })),
    { row: `${kernel.kernel} in C`, part: "software", value: kernel.software_cycles },
  ]);
  const used = [...PARTS, "software"];
  const body = kernels.map((kernel, i) => {
    const where = `${at}/kernels/${i}`;
    return [h("code", {}, kernel.kernel), figure(`${where}/calls`, kernel.calls, ""),
      figure(`${where}/software_calls`, kernel.software_calls, ""),
      figure(`${where}/cycles`, kernel.cycles, "cycles"),
      ...PARTS.map((part) => figure(`${where}/parts/${part}`, kernel.parts[part], "cycles")),
      figure(`${where}/software_cycles`, kernel.software_cycles, "cycles"),
      ratio(`${where}/software_cycles`, kernel.software_cycles, `${where}/cycles`, kernel.cycles, "x")];
  });
  return section("chip", "Where the cycles went", ["simulated"],
    legend(used.map((part) => [CATEGORY[part], part])),
    kernels.length ? chart("Cycles of all calls, and of the C function in their place",
      bars(rows, used, used.map((p) => CATEGORY[p]), "cycles", (v) => text(v, "cycles"))) : null,
    kernels.length ? table("Calls", ["kernel", "#on hardware", "#on the processor", "#cycles",
      ...PARTS.map((p) => `#${p}`), "#C instead", "#gain"], body) : null,
    functions(run, at), areas(run, at));
}

const MOST_FUNCTIONS = 12;

function functions(run: Json, at: string): HTMLElement {
  const rows = run.functions.slice(0, MOST_FUNCTIONS).map((row: Json, i: number) => [
    h("code", {}, row.name), figure(`${at}/functions/${i}/cycles`, row.cycles, "cycles"),
    meter(ratio(`${at}/functions/${i}/cycles`, row.cycles, `${at}/cycles`, run.cycles), row.cycles / run.cycles),
    figure(`${at}/functions/${i}/instructions`, row.instructions, ""),
    ratio(`${at}/functions/${i}/cycles`, row.cycles, `${at}/functions/${i}/instructions`, row.instructions, ""),
  ]);
  return table("Functions of the program, as the processor ran them",
    ["function", "#cycles", "#share", "#instructions", "#cycles an instruction"], rows);
}

function areas(run: Json, at: string): HTMLElement | null {
  if (!run.areas?.length) return null;
  return table("Area of each kernel, estimated", ["kernel", "#LUT4", "#FF", "#multipliers", "#bits of block RAM"],
    run.areas.map((row: Json, i: number) => [h("code", {}, run.kernels[i]?.kernel ?? String(i)),
      ...["lut4", "ff", "dsp", "bram_bits"].map((key) => figure(`${at}/areas/${i}/${key}`, row[key], ""))]));
}

export function energy(run: Json, at: string): HTMLElement | null {
  const found = run.energy;
  if (!found) return null;
  const names = Object.keys(found.parts);
  const rows = [
    ...names.map((part) => ({ row: "the whole run", part, value: found.parts[part] })),
    ...found.kernels.flatMap((kernel: Json) => [
      { row: `calls of ${kernel.kernel}`, part: "kernels", value: kernel.total_j },
      { row: `${kernel.kernel} in C`, part: "processor", value: kernel.software_j }]),
  ];
  const body = found.kernels.map((kernel: Json, i: number) => {
    const where = `${at}/energy/kernels/${i}`;
    return [h("code", {}, kernel.kernel), figure(`${where}/total_j`, kernel.total_j, "J"),
      figure(`${where}/software_j`, kernel.software_j, "J"),
      ratio(`${where}/software_j`, kernel.software_j, `${where}/total_j`, kernel.total_j, "x"),
      figure(`${where}/nets`, kernel.nets, ""), figure(`${where}/toggles`, kernel.toggles, "")];
  });
  return section("energy", "Where the energy went", ["estimated"],
    legend(names.map((part, i) => [series(i), part])),
    chart("Energy by part, and of calls beside the C in their place",
      bars(rows, names, names.map((_, i) => series(i)), "joules", (v) => text(v, "J"))),
    table("Parts of the run", ["part", "#energy", "#share"], names.map((part) => [part,
      figure(`${at}/energy/parts/${part}`, found.parts[part], "J"),
      ratio(`${at}/energy/parts/${part}`, found.parts[part], `${at}/energy/total_j`, found.total_j)])),
    table("Calls", ["kernel", "#energy", "#C instead", "#gain", "#nets", "#toggles"], body));
}

const MOST_PLACES = 20;

/** What toggled, by the line of the C that it is from: that is where the energy goes. */
export function activity(run: Json, at: string): HTMLElement | null {
  const kernels = (run.kernels ?? []).filter((kernel: Json) =>
    kernel.activity?.signals?.some((signal: Json) => signal.place));
  if (run.format !== "tandem-chip-result" || !kernels.length) return null;
  return section("activity", "What toggled, by line", ["simulated"],
    ...kernels.map((kernel: Json) => toggles(kernel, run.kernels.indexOf(kernel), at)));
}

function toggles(kernel: Json, number: number, at: string): HTMLElement {
  const places = new Map<string, { bits: number; toggles: number }>();
  for (const signal of kernel.activity.signals) {
    const sum = places.get(signal.place) ?? { bits: 0, toggles: 0 };
    places.set(signal.place, { bits: sum.bits + signal.bits, toggles: sum.toggles + signal.toggles });
  }
  const all = [...places.values()].reduce((sum, place) => sum + place.toggles, 0) || 1;
  const rows = [...places].sort(([, a], [, b]) => b.toggles - a.toggles).slice(0, MOST_PLACES)
    .map(([place, sum]) => [place || "no line", text(sum.bits, ""), text(sum.toggles, ""),
      meter(text(sum.toggles / all, "%"), sum.toggles / all)]);
  return h("div", {}, h("p", {}, "over ",
    figure(`${at}/kernels/${number}/activity/cycles`, kernel.activity.cycles, "cycles"), " cycles"),
    table(`Bits of ${kernel.kernel} that toggled`, ["line", "#bits", "#toggles", "#share"], rows));
}

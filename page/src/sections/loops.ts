// SPDX-License-Identifier: Apache-2.0
// Loops, FIFOs and arguments of kernels, as a run, a build or a check has them.

import * as Plot from "@observablehq/plot";
import { CATEGORY, CAUSE } from "../colours.ts";
import type { Json } from "../data.ts";
import { Child, h, words } from "../dom.ts";
import { chart, legend, note, section, table } from "../parts.ts";
import { plot } from "../plot.ts";
import { figure, ratio, text } from "../units.ts";

/** The loops of a build, or those of each kernel of a run with what they took. */
export function loops(result: Json, at: string): HTMLElement | null {
  if (Array.isArray(result.loops)) {
    if (!result.loops.length) return null;
    return section("loops", "Loops and their limits", ["proven"], rowsOf(result.loops, `${at}/loops`, null));
  }
  const kernels = (result.kernels ?? []).filter((kernel: Json) => kernel.loops?.length);
  if (!kernels.length) return null;
  return section("loops", "Loops and their limits", ["simulated", "proven"],
    ...result.kernels.flatMap((kernel: Json, i: number) => kernel.loops?.length
      ? [h("h3", {}, h("code", {}, kernel.name)), calls(kernel, `${at}/kernels/${i}`),
         rowsOf(kernel.loops, `${at}/kernels/${i}/loops`, kernel.cycles)]
      : []));
}

function calls(kernel: Json, at: string): Child {
  return h("p", {}, figure(`${at}/calls`, kernel.calls, ""), " calls, ",
    figure(`${at}/cycles`, kernel.cycles, "cycles"), " cycles, of these ",
    figure(`${at}/outside_cycles`, kernel.outside_cycles, "cycles"), " outside of loops and ",
    figure(`${at}/waiting_cycles`, kernel.waiting_cycles, "cycles"), " waiting for records or room");
}

function rowsOf(loops: Json[], at: string, all: number | null): HTMLElement {
  const hasCycles = all !== null;
  const rows = loops.map((loop, i) => {
    const where = `${at}/${i}`;
    const indent = `padding-left:${0.5 + (loop.depth - 1) * 1.1}em`;
    const told = [...(loop.changes ?? []), loop.limit].filter(Boolean);
    return [
      { cell: [`${loop.file}:${loop.line}`, loop.part ? h("small", {}, ` ${loop.part}`) : null],
        style: indent },
      loop.ii === null ? "no pipeline" : figure(`${where}/ii`, loop.ii, "cycles"),
      figure(`${where}/length_cycles`, loop.length_cycles, "cycles"),
      ...(hasCycles ? [
        figure(`${where}/iterations`, loop.iterations, ""),
        figure(`${where}/cycles`, loop.cycles, "cycles"),
        ratio(`${where}/cycles`, loop.cycles, at.replace(/loops$/, "cycles"), all!),
      ] : []),
      told.length ? h("ul", { class: "plain" }, ...told.map((said) => h("li", {}, ...words(said)))) : "–",
    ];
  });
  const titles = ["loop", "#ii", "#length", ...(hasCycles ? ["#iterations", "#cycles", "#share"] : []),
    "what became of it, what limits it, and the cure"];
  return table("Every loop", titles, rows);
}

/** FIFOs between processes: how much room they have, and what would cost no cycle. */
export function fifos(result: Json, at: string): HTMLElement | null {
  const kernels = (result.kernels ?? []).map((kernel: Json, i: number) => ({ kernel, i }))
    .filter(({ kernel }: Json) => kernel.fifos?.rows?.length);
  if (kernels.length)
    return section("fifos", "FIFOs between processes", ["simulated"],
      ...kernels.map(({ kernel, i }: Json) => fifosOf(kernel, `${at}/kernels/${i}/fifos`)));
  if (!Array.isArray(result.fifos) || !result.fifos.length) return null;
  return section("fifos", "FIFOs between processes", ["proven"],
    table("FIFOs", ["name", "#bits of a record", "#records"], result.fifos.map((row: Json, i: number) => [
      h("code", {}, row.name), figure(`${at}/fifos/${i}/record_bits`, row.record_bits, ""),
      figure(`${at}/fifos/${i}/depth`, row.depth, ""),
    ])));
}

function fifosOf(kernel: Json, at: string): HTMLElement {
  const rows = kernel.fifos.rows.map((row: Json, i: number) => [
    h("code", {}, row.name),
    figure(`${at}/rows/${i}/record_bits`, row.record_bits, ""),
    figure(`${at}/rows/${i}/depth`, row.depth, ""),
    figure(`${at}/rows/${i}/least_depth`, row.least_depth, ""),
  ]);
  return h("div", {}, ...fills(kernel), table(`Of ${kernel.name}`,
    ["FIFO", "#bits of a record", "#records", "#records that would cost no cycle"], rows),
    note("Calls that were looked at took ", figure(`${at}/cycles`, kernel.fifos.cycles, "cycles"),
      " cycles; with that room ", figure(`${at}/least_cycles`, kernel.fifos.least_cycles, "cycles")));
}

/** How full each was over the longest call, and when a process had to wait for it. */
function fills(kernel: Json): Child[] {
  const { rows, longest_cycles: end, part_cycles: part } = kernel.fifos;
  if (!end) return [];
  return [
    legend([[CATEGORY.compute, "records held"], [CAUSE.exit, "a process waits for a record"],
      [CAUSE.resource, "a process waits for room"]]),
    ...rows.map((row: Json) => chart(`${row.name}: records of ${row.depth}, over the cycles of the longest call`,
      fill(row, end, part))),
  ];
}

function fill(row: Json, end: number, part: number): HTMLElement {
  const parts = row.held.map((held: number, i: number) => {
    const from = i * part, to = Math.min(end, from + part);
    const shares = [row.empty_cycles[i], row.full_cycles[i]].map((cycles) => Math.min(1, cycles / (to - from)));
    return { held, from, to, empty: shares[0], full: shares[1] };
  });
  const most = Math.max(row.depth, ...row.held), strip = most / 8;
  const title = (p: Json) => `until cycle ${p.to}: ${p.held} held; a process waits for a record ` +
    `${text(p.empty, "%")} and for room ${text(p.full, "%")} of the time`;
  return plot(`records held by ${row.name}, and waits for it`, () => ({
    height: 130, marginLeft: 62, marginRight: 20,
    x: { label: "cycle", domain: [0, end] },
    y: { label: "records", ticks: 3, domain: [-2 * strip, most], tickFormat: (n: number) => n < 0 ? "" : String(n) },
    marks: [
      Plot.rectY(parts, { x1: "from", x2: "to", y: "held", fill: CATEGORY.compute, title }),
      Plot.rect(parts.filter((p: Json) => p.empty), { x1: "from", x2: "to", y1: -strip, y2: 0,
        fill: CAUSE.exit, fillOpacity: "empty", title }),
      Plot.rect(parts.filter((p: Json) => p.full), { x1: "from", x2: "to", y1: -2 * strip, y2: -strip,
        fill: CAUSE.resource, fillOpacity: "full", title }),
      Plot.ruleY([row.depth], { stroke: "var(--faint)", strokeDasharray: "3 3" }),
      Plot.ruleY([0]),
    ],
  }));
}

/** What moves with calls, and how well it is known. */
export function argumentsOf(result: Json, at: string): HTMLElement | null {
  const kernels = (result.kernels ?? []).map((kernel: Json, i: number) => ({ kernel, i }))
    .filter(({ kernel }: Json) => kernel.arguments?.rows);
  if (!kernels.length) return null;
  const rows = kernels.flatMap(({ kernel, i }: Json) => kernel.arguments.rows.map((row: Json, j: number) => {
    const where = `${at}/kernels/${i}/arguments/rows/${j}`;
    return [h("code", {}, `${kernel.name}: ${row.name}`), row.kind, row.direction, row.extent,
      figure(`${where}/bytes`, row.bytes, "B"), figure(`${where}/largest_bytes`, row.largest_bytes, "B"),
      figure(`${where}/stays_bytes`, row.stays_bytes, "B")];
  }));
  const pragmas = (result.annotations ?? []).map((row: Json) => h("li", {}, h("code", {}, row.pragma)));
  return section("arguments", "What moves with calls", ["proven", "simulated"],
    table("Arguments", ["argument", "as", "way", "extent", "#bytes over all calls", "#of the largest call",
      "#stays in the device"], rows),
    pragmas.length ? h("div", {}, h("p", {}, "A driver needs these annotations:"), h("ul", {}, ...pragmas)) : null);
}

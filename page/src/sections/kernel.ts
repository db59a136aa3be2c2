// SPDX-License-Identifier: Apache-2.0
// A kernel's schedule beside its C: each shows what the other one has of it.

import { CAUSE, CAUSES, on } from "../colours.ts";
import type { Block, Cause, Schedule } from "../data.ts";
import { append, Child, h, words } from "../dom.ts";
import { choice, legend, meter, note, section, table } from "../parts.ts";
import { counted, figure, rounded, text } from "../units.ts";
import { drawGraph } from "./graph.ts";
import { Selection, told, users } from "./selection.ts";
import { key, source } from "./source.ts";

const ROW_PX = 18;
const LABEL_PX = 150;
const LEAST_CYCLE_PX = 12;
const OVERSCAN_ROWS = 12;

export function kernel(schedule: Schedule, at: string): HTMLElement {
  const selection = new Selection();
  const blocks = schedule.blocks.filter((block) => block.operations > 0);
  const busiest = blocks.reduce((best, block, i) =>
    block.operations > blocks[best].operations ? i : best, 0);
  blocks.unshift(...blocks.splice(busiest, 1));
  const viewers = choice("which loop or block", blocks.map(title), (index, place) => {
    selection.set([]);
    place.append(new Viewer(schedule, blocks[index], selection).element);
  });
  return section(`schedule-${at.split("/").pop()}`, `Schedule of ${schedule.name}`, ["proven"],
    facts(schedule, at), causes(schedule), viewers,
    h("div", { class: "probe" }, source(schedule, selection), details(schedule, selection)),
    limits(schedule), ports(schedule, at), areaByLoop(schedule, at), areaByLine(schedule, at));
}

function title(block: Block): string {
  const where = block.line ? `line ${block.line}` : block.block;
  return block.ii ? `loop of ${where}, ii ${block.ii}` : where;
}

function facts(schedule: Schedule, at: string): HTMLElement {
  const area = schedule.area;
  return h("p", {}, "clock ", figure(`${at}/clock_ps`, schedule.clock_ps, "ps"),
    ", expected to reach ", figure(`${at}/reachable_clock_ps`, schedule.reachable_clock_ps, "ps"),
    "; estimated ", figure(`${at}/area/lut4`, area.lut4, ""), " LUT4, ",
    figure(`${at}/area/ff`, area.ff, ""), " FF, ", figure(`${at}/area/dsp`, area.dsp, ""),
    " multipliers, ", figure(`${at}/area/rom_bits`, area.rom_bits, ""), " bits of tables, ",
    figure(`${at}/area/ram_bits`, area.ram_bits, ""), " bits of memories");
}

function causes(schedule: Schedule): HTMLElement {
  const found = new Set(schedule.operations.map((row) => row[6]));
  return legend((Object.keys(CAUSES) as Cause[])
    .filter((cause) => found.has(cause)).map((cause) => [CAUSE[cause], CAUSES[cause]]));
}

interface Bar { cycle: number; cycles: number; cause: Cause; operations: number[] }

/** A row of the viewer: a line of the C with all that it has in each cycle, or one operation. */
interface Lane { name: string; detail: string; operations: number[]; bars: Bar[] }

function laneOf(schedule: Schedule, number: number): Lane {
  const row = schedule.operations[number];
  const bar = { cycle: row[4], cycles: Math.max(1, row[5]), cause: row[6], operations: [number] };
  return { name: row[0], detail: row[1] ? String(row[1]) : "", operations: [number], bars: [bar] };
}

function lanesOfLines(schedule: Schedule, numbers: number[]): Lane[] {
  const lines = new Map<string, number[]>();
  for (const number of numbers) {
    const row = schedule.operations[number];
    lines.set(key(row[2], row[3]), [...(lines.get(key(row[2], row[3])) ?? []), number]);
  }
  return [...lines.values()].map((operations) => {
    const [, , file, line] = schedule.operations[operations[0]];
    const name = line ? `${schedule.files[file].name}:${line}` : "no line";
    return { name, detail: "", operations, bars: barsOf(schedule, operations) };
  });
}

/** A bar for each cycle in which operations start, in the colour of what holds most of them back. */
function barsOf(schedule: Schedule, operations: number[]): Bar[] {
  const cycles = new Map<number, number[]>();
  for (const number of operations) {
    const cycle = schedule.operations[number][4];
    cycles.set(cycle, [...(cycles.get(cycle) ?? []), number]);
  }
  return [...cycles].map(([cycle, here]) => {
    const causes = here.map((number) => schedule.operations[number][6]);
    const count = (cause: Cause) => causes.filter((c) => c === cause).length;
    const cause = [...new Set(causes)].sort((x, y) => count(y) - count(x))[0];
    return { cycle, cycles: 1, cause, operations: here };
  });
}

/** Lines or operations down, cycles across. Only the rows in sight are there. */
class Viewer {
  element: HTMLElement;
  private list: HTMLElement;
  private window = h("div", { class: "rows" });
  private active = -1;
  private lanes: Lane[] = [];
  private cycles: number;

  constructor(private schedule: Schedule, private block: Block, private selection: Selection) {
    this.cycles = Math.max(block.length_cycles, 1);
    this.list = h("div",
      { class: "schedule", role: "listbox", tabindex: 0, "aria-label": `schedule of ${title(block)}`,
        onscroll: () => this.draw(), onkeydown: (e) => this.key(e as KeyboardEvent) },
      this.window);
    this.element = h("div", {}, this.heading(), this.modes(), this.list);
    selection.watch(() => this.show());
    new ResizeObserver(() => this.draw()).observe(this.list);
  }

  private heading(): HTMLElement {
    const { block } = this;
    const ii = block.ii
      ? `an iteration every ${counted(block.ii, "cycle")}, each ${block.length_cycles} long; ports allow ` +
        `${block.res_mii}, recurrences ${block.rec_mii}`
      : `${counted(block.length_cycles, "cycle")}, once each time`;
    return h("p", { class: "note" }, `${block.operations} operations; ${ii}; longest path ` +
      `${text(block.longest_ps, "ps")}`);
  }

  private modes(): HTMLElement {
    const { first, operations } = this.block;
    const numbers = Array.from({ length: operations }, (_, i) => first + i);
    return choice("rows of the schedule", ["lines", "operations"], (index) => {
      this.lanes = index ? numbers.map((number) => laneOf(this.schedule, number))
        : lanesOfLines(this.schedule, numbers);
      this.active = -1;
      this.list.scrollTop = 0;
      this.list.style.height = `${Math.min(420, (this.lanes.length + 1) * ROW_PX + 20)}px`;
      this.draw();
    });
  }

  private get cyclePx(): number {
    const free = (this.list.clientWidth || 700) - LABEL_PX - 16;
    return Math.max(LEAST_CYCLE_PX, Math.floor(free / this.cycles));
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW_PX) - OVERSCAN_ROWS);
    const height = this.list.clientHeight || 420;
    const last = Math.min(this.lanes.length, first + Math.ceil(height / ROW_PX) + 2 * OVERSCAN_ROWS);
    const wide = this.cyclePx;
    this.window.style.height = `${(this.lanes.length + 1) * ROW_PX}px`;
    this.window.style.width = `${LABEL_PX + wide * this.cycles}px`;
    this.window.style.setProperty("--cycle", `${wide}px`);
    this.window.replaceChildren(this.ruler(wide),
      ...this.lanes.slice(first, last).map((lane, i) => this.row(lane, first + i, wide)));
    if (this.active < 0) this.list.removeAttribute("aria-activedescendant");
    else this.list.setAttribute("aria-activedescendant", this.id(this.active));
  }

  private id(place: number): string {
    return `row-${this.schedule.kernel}-${place}`;
  }

  private ruler(wide: number): HTMLElement {
    const step = Math.max(1, Math.ceil(28 / wide));
    const marks = [];
    for (let cycle = 0; cycle < this.cycles; cycle += step)
      marks.push(h("span", { style: `left:${LABEL_PX + cycle * wide}px` }, String(cycle)));
    return h("div", { class: "ruler", "aria-hidden": "true" }, "cycle", ...marks);
  }

  private row(lane: Lane, place: number, wide: number): HTMLElement {
    const chosen = lane.operations.some((number) => this.selection.operations.includes(number));
    const bars = lane.bars.map((bar) => h("span", {
      class: "bar", title: this.told(bar),
      style: `left:${LABEL_PX + bar.cycle * wide}px;width:${bar.cycles * wide - 2}px;` +
        `background:${CAUSE[bar.cause]};color:${on(CAUSE[bar.cause])}`,
      onclick: (event) => {
        event.stopPropagation();
        this.active = place;
        this.selection.set(bar.operations);
      },
    }, bar.operations.length > 1 && wide > 20 ? String(bar.operations.length) : ""));
    return h("div", {
      id: this.id(place), class: chosen ? "op chosen" : "op", role: "option",
      "aria-selected": String(chosen), "aria-label": this.label(lane),
      "aria-setsize": this.lanes.length, "aria-posinset": place + 1,
      style: `top:${(place + 1) * ROW_PX}px`,
      onclick: () => this.choose(place),
    }, h("span", { class: "op-name" }, lane.name, " ", h("small", {}, lane.detail)), ...bars);
  }

  private told(bar: Bar): string {
    if (bar.operations.length > 1)
      return `cycle ${bar.cycle}: ${bar.operations.length} operations, most of which: ${CAUSES[bar.cause]}`;
    const row = this.schedule.operations[bar.operations[0]];
    return `${told(row)}${row[3] ? `, line ${row[3]}` : ""}, cycle ${row[4]}: waits for ` +
      this.schedule.texts[row[7]];
  }

  private label(lane: Lane): string {
    if (lane.operations.length === 1) return this.told(lane.bars[0]);
    return `${lane.name}: ${lane.operations.length} operations in ${lane.bars.length} cycles`;
  }

  private choose(place: number): void {
    this.active = place;
    this.selection.set(this.lanes[place].operations);
  }

  private key(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity,
    };
    if (!(event.key in steps) || !this.lanes.length) return;
    event.preventDefault();
    const next = this.active + steps[event.key];
    this.choose(Math.min(this.lanes.length - 1, Math.max(0, next)));
  }

  /** Brings the first selected operation into sight. */
  private show(): void {
    const first = this.selection.operations[0];
    const place = this.lanes.findIndex((lane) => lane.operations.includes(first));
    if (place >= 0) {
      const top = place * ROW_PX, height = this.list.clientHeight;
      if (top < this.list.scrollTop || top + 2 * ROW_PX > this.list.scrollTop + height)
        this.list.scrollTop = Math.max(0, top - height / 2);
    }
    this.draw();
  }
}

/** What is known of the selected operations, and what they take from and give to. */
function details(schedule: Schedule, selection: Selection): HTMLElement {
  const place = h("div", { class: "details", "aria-live": "polite" });
  const draw = () => {
    place.replaceChildren();
    const chosen = selection.operations;
    if (!chosen.length) {
      place.append(note("Choose an operation above, or a line of the C: each shows the other."));
      return;
    }
    append(place, chosen.length === 1 ? one(schedule, chosen[0], selection)
      : several(schedule, chosen, selection));
    place.append(drawGraph(schedule, chosen, (number) => selection.set([number])));
  };
  selection.watch(draw);
  draw();
  return place;
}

function one(schedule: Schedule, number: number, selection: Selection): Child[] {
  const row = schedule.operations[number];
  const at = `/schedules/${schedule.kernel}/operations/${number}`;
  const rows: [string, Child][] = [
    ["does", told(row)],
    ["line", row[3] ? `${schedule.files[row[2]].name}:${row[3]}` : "–"],
    ["cycle", String(row[4])],
    ["takes", row[5] ? counted(row[5], "cycle") : "no cycle of its own"],
    ["in", words(schedule.texts[row[8]])],
    ["waits for", words(schedule.texts[row[7]])],
    ["why", CAUSES[row[6]]],
    ["area", `${rounded(row[9])} LUT4; its result waits in ${row[10]} FF`],
  ];
  return [
    h("dl", { "data-operation": at }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    links("reads", row[11], schedule, selection),
    links("is read by", users(schedule, number), schedule, selection),
  ];
}

const MOST_LINKS = 24;

function links(
  name: string, numbers: number[], schedule: Schedule, selection: Selection,
): Child {
  if (!numbers.length) return null;
  const shown = numbers.slice(0, MOST_LINKS).map((number) => h("button",
    { type: "button", class: "link", onclick: () => selection.set([number]) },
    told(schedule.operations[number])));
  const rest = numbers.length - shown.length;
  return h("p", { class: "links" }, `${name}: `, ...shown.flatMap((link) => [link, " "]),
    rest > 0 ? `and ${rest} more` : "");
}

function several(schedule: Schedule, chosen: number[], selection: Selection): Child[] {
  const groups = new Map<string, number[]>();
  for (const number of chosen) {
    const row = schedule.operations[number];
    const name = [told(row), row[4], row[6], row[8]].join("|");
    groups.set(name, [...(groups.get(name) ?? []), number]);
  }
  const rows = [...groups.values()].slice(0, 60).map((numbers) => {
    const row = schedule.operations[numbers[0]];
    return [
      h("button", { type: "button", class: "link", onclick: () => selection.set([numbers[0]]) },
        `${numbers.length > 1 ? `${numbers.length} × ` : ""}${told(row)}`),
      String(row[4]), CAUSES[row[6]], words(schedule.texts[row[8]]),
    ];
  });
  const lut4 = chosen.reduce((sum, i) => sum + schedule.operations[i][9], 0);
  const ff = chosen.reduce((sum, i) => sum + schedule.operations[i][10], 0);
  return [
    h("p", {}, `${chosen.length} operations, ${rounded(lut4)} LUT4 and ${rounded(ff)} FF of their own`),
    table("Operations of the line", ["operation", "#cycle", "why not earlier", "in"], rows),
  ];
}

function limits(schedule: Schedule): Child {
  const rows = schedule.blocks.filter((block) => block.limit).map((block) =>
    [title(block), words(block.limit)]);
  return rows.length ? table("What limits loops, and what helps", ["loop", "limit and cure"], rows)
    : note("No loop is limited: each pipeline starts an iteration as often as it can.");
}

/** How full ports are: accesses of an iteration beside what a port could serve meanwhile. */
function ports(schedule: Schedule, at: string): Child {
  const rows = schedule.memories.flatMap((memory, m) => memory.ports.map((port, p) => {
    const share = port.accesses / (port.ports * port.ii);
    const where = `${at}/memories/${m}/ports/${p}`;
    return [
      h("code", {}, memory.name), memory.kind, `line ${port.line}`, port.access,
      figure(`${where}/accesses`, port.accesses, ""), figure(`${where}/ports`, port.ports, ""),
      meter(`${Math.round(100 * share)} %`, share),
    ];
  }));
  const others = schedule.memories.map((memory, m) => [
    h("code", {}, memory.name), memory.kind,
    figure(`${at}/memories/${m}/element_bits`, memory.element_bits, ""),
    figure(`${at}/memories/${m}/depth`, memory.depth, ""),
  ]);
  return [
    rows.length ? table("Ports of memories, and how full pipelines keep them",
      ["memory", "kind", "loop", "access", "#accesses an iteration", "#ports", "#full"], rows) : null,
    h("details", {}, h("summary", {}, `${others.length} memories, streams and tables`),
      table("Memories", ["name", "kind", "#bits", "#elements"], others)),
  ];
}

/** What each loop's operations take, and the clock that its longest path would allow. */
function areaByLoop(schedule: Schedule, at: string): Child {
  const rows = schedule.blocks.map((block, i) => ({ block, i })).filter(({ block }) => block.operations)
    .map(({ block, i }) => {
      const own = schedule.operations.slice(block.first, block.first + block.operations);
      return [title(block), figure(`${at}/blocks/${i}/longest_ps`, block.longest_ps, "ps"),
        figure(`${at}/blocks/${i}/operations`, block.operations, ""),
        rounded(own.reduce((sum, row) => sum + row[9], 0)), rounded(own.reduce((sum, row) => sum + row[10], 0))];
    });
  return table("Area and longest path by loop, estimated",
    ["loop or block", "#longest path", "#operations", "#LUT4", "#FF"], rows);
}

const MOST_LINES = 25;

/** Which lines the area is of. What is no operation's own (choices, control, memories) is the rest. */
function areaByLine(schedule: Schedule, at: string): Child {
  const found = new Map<string, { file: number; line: number; lut4: number; ff: number }>();
  for (const row of schedule.operations) {
    const name = key(row[2], row[3]);
    const sum = found.get(name) ?? { file: row[2], line: row[3], lut4: 0, ff: 0 };
    sum.lut4 += row[9];
    sum.ff += row[10];
    found.set(name, sum);
  }
  const rows = [...found.values()].sort((a, b) => b.lut4 + b.ff - a.lut4 - a.ff);
  const all = schedule.area.lut4 || 1;
  const body = rows.slice(0, MOST_LINES).map((row) => [
    row.line ? `${schedule.files[row.file].name}:${row.line}` : "no line",
    meter(rounded(row.lut4), row.lut4 / all),
    rounded(row.ff),
  ]);
  const lut4 = rows.reduce((sum, row) => sum + row.lut4, 0);
  const ff = rows.reduce((sum, row) => sum + row.ff, 0);
  body.push(
    ["choices, control, memories, sharing", rounded(schedule.area.lut4 - lut4), rounded(schedule.area.ff - ff)],
    ["in all", figure(`${at}/area/lut4`, schedule.area.lut4, "") as never,
      figure(`${at}/area/ff`, schedule.area.ff, "") as never]);
  return table("Area by line, estimated", ["line", "#LUT4", "#FF"], body);
}

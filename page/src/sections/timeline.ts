// SPDX-License-Identifier: Apache-2.0
// What every component did and when, to be zoomed down to a cycle.
//
// Each pixel asks its track for the first event that ends behind it, by bisection; so millions of
// events are drawn as fast as a few. Where several lie in one pixel its height is how much of it
// they fill.

import { CATEGORY, series, theme } from "../colours.ts";
import type { Timeline } from "../data.ts";
import { h, whenSeen } from "../dom.ts";
import { Events, firstBehind, readEvents, Track } from "../events.ts";
import { legend, note, section, table } from "../parts.ts";
import { rounded, text } from "../units.ts";

const TRACK_PX = 26;
const AXIS_PX = 22;
const LABEL_PX = 128;
const NARROW_LABEL_PX = 84;
const ZOOM = 1.25;
const PAN = 0.1;
const LEAST_PS = 1000;
/** Up to so many cycles in sight, each has its line. */
const MOST_CYCLES = 160;

export function timeline(data: Timeline, clock_ps: number | null): HTMLElement {
  const place = h("div", {}, note("The timeline is unpacked when it comes into sight."));
  const made = section("timeline", "What happened when", ["simulated"],
    data.dropped
      ? h("p", { class: "warning" }, `The first ${data.count.toLocaleString("en")} events; ` +
        `${data.dropped.toLocaleString("en")} more are not here. Figures count all of them.`)
      : null,
    place);
  whenSeen(made, () => void readEvents(data).then((events) => {
    place.replaceChildren(new View(events, clock_ps).element, totals(events));
    made.dataset.ready = "true";
  }));
  return made;
}

function totals(events: Events): HTMLElement {
  const rows = events.tracks.map((track) => {
    const busy = track.busyBefore[track.count];
    return [track.name, track.group, track.count.toLocaleString("en"), text(busy, "ps"),
      events.end_ps ? `${rounded((100 * busy) / events.end_ps, 3)} %` : "–"];
  });
  return h("details", {}, h("summary", {}, "Tracks as numbers"),
    table("How long each track was busy", ["track", "of", "#events", "#busy", "#of the time"], rows));
}

export class View {
  element: HTMLElement;
  private canvas = h("canvas", {
    tabindex: 0, role: "img",
    "aria-label": "timeline; arrow keys move it, plus and minus zoom, Home shows all, " +
      "N and P go to the next and the previous event",
  });
  private told = h("p", { class: "told", "aria-live": "polite" });
  private from = 0;
  private span: number;
  private selected: { track: number; place: number } | null = null;
  private isDrawing = false;
  private width = 0;
  private labelPx = LABEL_PX;
  private plotPx = 1;
  private drag: { x: number; from: number; moved: boolean } | null = null;

  constructor(private events: Events, private clock_ps: number | null) {
    this.span = Math.max(events.end_ps, LEAST_PS);
    const button = (name: string, label: string, act: () => void) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick: act }, name);
    this.element = h("div", { class: "timeline" },
      h("div", { class: "choice" },
        button("all", "show all", () => this.show(0, this.events.end_ps)),
        button("+", "zoom in", () => this.zoom(1 / ZOOM ** 2, 0.5)),
        button("−", "zoom out", () => this.zoom(ZOOM ** 2, 0.5)),
        button("←", "earlier", () => this.move(-PAN * 3)),
        button("→", "later", () => this.move(PAN * 3)),
        button("next", "next event", () => this.step(1)),
        button("previous", "previous event", () => this.step(-1)),
        this.calls > 0 ? button("calls", "from the first call on", () =>
          this.show(this.calls, this.events.end_ps - this.calls)) : null,
        clock_ps ? button("cycles", "zoom to cycles", () => this.zoomToCycles()) : null),
      this.canvas, this.told, this.legend());
    this.canvas.style.height = `${AXIS_PX + TRACK_PX * events.tracks.length}px`;
    this.listen();
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    window.addEventListener("tandem-theme", () => this.redraw());
    this.tell();
  }

  /** When what is not configuring begins. */
  private get calls(): number {
    const configure = this.events.kinds.indexOf("configure");
    const starts = this.events.tracks.map((track) =>
      track.start[track.kind.findIndex((kind) => kind !== configure)] ?? Infinity);
    return Math.min(...starts);
  }

  private legend(): HTMLElement {
    return legend(this.events.kinds.map((kind, i) => [this.colour(i), kind.replace("_", " ")]));
  }

  private colour(kind: number): string {
    return CATEGORY[this.events.kinds[kind]] ?? series(kind);
  }

  /** The canvas as it is, measured once a frame. */
  private measure(): void {
    this.width = this.canvas.clientWidth;
    this.labelPx = this.width < 560 ? NARROW_LABEL_PX : LABEL_PX;
    this.plotPx = Math.max(1, this.width - this.labelPx);
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) {
        if (document.activeElement !== canvas) return;
      }
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        this.move(((event.deltaX || event.deltaY) / this.plotPx) * 1);
      else this.zoom(event.deltaY > 0 ? ZOOM : 1 / ZOOM, this.part(event.offsetX));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      this.drag = { x: event.clientX, from: this.from, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.drag) return;
      const moved = event.clientX - this.drag.x;
      if (Math.abs(moved) > 3) this.drag.moved = true;
      if (this.drag.moved) this.show(this.drag.from - (moved / this.plotPx) * this.span, this.span);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (this.drag && !this.drag.moved) this.pick(event.offsetX, event.offsetY);
      this.drag = null;
    });
    canvas.addEventListener("keydown", (event) => {
      const keys: Record<string, () => void> = {
        ArrowLeft: () => this.move(-PAN), ArrowRight: () => this.move(PAN),
        "+": () => this.zoom(1 / ZOOM, 0.5), "=": () => this.zoom(1 / ZOOM, 0.5),
        "-": () => this.zoom(ZOOM, 0.5), Home: () => this.show(0, this.events.end_ps),
        n: () => this.step(1), p: () => this.step(-1),
        ArrowDown: () => this.track(1), ArrowUp: () => this.track(-1),
      };
      if (!(event.key in keys) || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  private part(x: number): number {
    return Math.min(1, Math.max(0, (x - this.labelPx) / this.plotPx));
  }

  show(from: number, span: number): void {
    const all = Math.max(this.events.end_ps, LEAST_PS);
    this.span = Math.min(all, Math.max(LEAST_PS, span));
    this.from = Math.min(all - this.span, Math.max(0, from));
    this.redraw();
  }

  move(part: number): void {
    this.show(this.from + part * this.span, this.span);
  }

  zoom(factor: number, part: number): void {
    const span = Math.min(Math.max(this.events.end_ps, LEAST_PS), Math.max(LEAST_PS, this.span * factor));
    this.show(this.from + part * (this.span - span), span);
  }

  private zoomToCycles(): void {
    const span = 40 * this.clock_ps!;
    const middle = this.selected ? this.timesOf(this.selected)[0] : this.from + this.span / 2;
    this.show(middle - span / 4, span);
  }

  private timesOf(at: { track: number; place: number }): [start: number, end: number] {
    const track = this.events.tracks[at.track];
    return [track.start[at.place], track.end[at.place]];
  }

  private track(step: number): void {
    const count = this.events.tracks.length;
    const track = ((this.selected?.track ?? (step > 0 ? -1 : count)) + step + count) % count;
    const place = firstBehind(this.events.tracks[track], this.from);
    this.select(track, Math.min(place, this.events.tracks[track].count - 1));
  }

  private step(step: number): void {
    if (!this.selected) return this.track(1);
    const { track, place } = this.selected;
    const last = this.events.tracks[track].count - 1;
    this.select(track, Math.min(last, Math.max(0, place + step)));
    this.reveal();
  }

  private reveal(): void {
    const [start, end] = this.timesOf(this.selected!);
    if (end < this.from || start > this.from + this.span)
      this.show((start + end) / 2 - this.span / 2, this.span);
  }

  private pick(x: number, y: number): void {
    const track = Math.floor((y - AXIS_PX) / TRACK_PX);
    if (track < 0 || track >= this.events.tracks.length || x < this.labelPx) return;
    const time = this.from + this.part(x) * this.span;
    const place = firstBehind(this.events.tracks[track], time);
    const near = this.span / this.plotPx;
    if (this.events.tracks[track].start[place] <= time + near) this.select(track, place);
    else this.selected = null;
    this.redraw();
  }

  private select(track: number, place: number): void {
    this.selected = place < 0 ? null : { track, place };
    this.redraw();
    this.tell();
  }

  private tell(): void {
    const { events, selected } = this;
    if (!selected) {
      this.told.textContent = "Nothing is selected.";
      return;
    }
    const track = events.tracks[selected.track], { place } = selected;
    const took = track.end[place] - track.start[place];
    const call = track.call[place] >= 0 ? `, call ${track.call[place]}` : "";
    const bytes = track.bytes[place] ? `, ${text(track.bytes[place], "B")}` : "";
    const cycles = this.clock_ps ? ` (${rounded(took / this.clock_ps)} cycles)` : "";
    this.told.textContent = `${track.name}: ${events.kinds[track.kind[place]].replace("_", " ")} ` +
      `from ${text(track.start[place], "ps")} for ${text(took, "ps")}${cycles}${call}${bytes}`;
  }

  private redraw(): void {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.draw();
    });
  }

  /** Draws what is in sight. */
  draw(): void {
    const { canvas } = this;
    this.measure();
    const scale = window.devicePixelRatio || 1;
    const { width } = this, height = AXIS_PX + TRACK_PX * this.events.tracks.length;
    const wide = Math.round(width * scale), high = Math.round(height * scale);
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
    const paint = canvas.getContext("2d")!;
    paint.setTransform(scale, 0, 0, scale, 0, 0);
    paint.clearRect(0, 0, width, height);
    paint.font = "12px system-ui, sans-serif";
    paint.textBaseline = "middle";
    this.drawAxis(paint, width, height);
    this.events.tracks.forEach((track, i) => this.drawTrack(paint, track, i, width));
    this.canvas.dataset.from = String(this.from);
    this.canvas.dataset.span = String(this.span);
  }

  private x(time: number): number {
    return this.labelPx + ((time - this.from) / this.span) * this.plotPx;
  }

  private drawAxis(paint: CanvasRenderingContext2D, width: number, height: number): void {
    const step = niceStep((this.span / this.plotPx) * 110);
    paint.fillStyle = theme("ink");
    paint.strokeStyle = theme("line");
    paint.beginPath();
    for (let t = Math.ceil(this.from / step) * step; t <= this.from + this.span; t += step) {
      const x = this.x(t);
      paint.moveTo(x, AXIS_PX - 6);
      paint.lineTo(x, height);
      if (x < width - 40) paint.fillText(text(t, "ps"), x + 3, AXIS_PX / 2);
    }
    paint.stroke();
    if (this.clock_ps && this.span / this.clock_ps <= MOST_CYCLES) this.drawCycles(paint, height);
  }

  private drawCycles(paint: CanvasRenderingContext2D, height: number): void {
    const clock = this.clock_ps!;
    paint.strokeStyle = theme("line");
    paint.setLineDash([1, 3]);
    paint.beginPath();
    for (let t = Math.ceil(this.from / clock) * clock; t <= this.from + this.span; t += clock) {
      paint.moveTo(this.x(t), AXIS_PX);
      paint.lineTo(this.x(t), height);
    }
    paint.stroke();
    paint.setLineDash([]);
  }

  private drawTrack(
    paint: CanvasRenderingContext2D, track: Track, number: number, width: number,
  ): void {
    const top = AXIS_PX + number * TRACK_PX;
    paint.fillStyle = number === this.selected?.track ? theme("chosen") : theme("stripe");
    if (number % 2 === 0 || number === this.selected?.track)
      paint.fillRect(0, top, width, TRACK_PX);
    this.drawEvents(paint, track, top + 3, TRACK_PX - 6, width);
    paint.fillStyle = theme("ink");
    paint.save();
    paint.beginPath();
    paint.rect(0, top, this.labelPx - 8, TRACK_PX);
    paint.clip();
    paint.fillText(track.name, 4, top + TRACK_PX / 2);
    paint.restore();
  }

  private drawEvents(
    paint: CanvasRenderingContext2D, track: Track, top: number, height: number, width: number,
  ): void {
    const perPx = this.span / this.plotPx;
    const colours = this.events.kinds.map((_, i) => this.colour(i));
    let place = firstBehind(track, this.from);
    let painted = -1;
    while (place < track.count) {
      const left = Math.max(this.labelPx, this.x(track.start[place]));
      if (left >= width) break;
      const right = this.x(track.end[place]);
      if (track.kind[place] !== painted) {
        painted = track.kind[place];
        paint.fillStyle = colours[painted];
      }
      if (right - left >= 1) {
        paint.fillRect(left, top, Math.max(1, Math.min(right, width) - left - 0.5), height);
        place += 1;
        continue;
      }
      const pixel = Math.floor(left);
      const behind = this.from + (pixel + 1 - this.labelPx) * perPx;
      const next = Math.max(place + 1, firstBehind(track, behind, place));
      const busy = track.busyBefore[next] - track.busyBefore[place];
      const full = Math.min(1, Math.max(0.2, busy / perPx));
      paint.fillRect(pixel, top + height * (1 - full), 1, height * full);
      place = next;
    }
    this.drawSelected(paint, track, top, height);
  }

  private drawSelected(
    paint: CanvasRenderingContext2D, track: Track, top: number, height: number,
  ): void {
    if (!this.selected || this.events.tracks[this.selected.track] !== track) return;
    const [start, end] = this.timesOf(this.selected);
    const left = Math.max(this.labelPx, this.x(start));
    paint.strokeStyle = theme("ink");
    paint.lineWidth = 2;
    paint.strokeRect(left + 1, top, Math.max(1, this.x(end) - left - 2), height);
    paint.lineWidth = 1;
  }
}

/** 1, 2 or 5 times a power of ten, no less than what is asked for. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least)!;
}

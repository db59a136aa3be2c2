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
import { note, section, table } from "../parts.ts";
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
    const busy = track.busyBefore[track.events.length];
    return [track.name, track.group, track.events.length.toLocaleString("en"), text(busy, "ps"),
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
    const { start, kind, kinds, count } = this.events;
    const configure = kinds.indexOf("configure");
    for (let i = 0; i < count; i++) if (kind[i] !== configure) return start[i];
    return 0;
  }

  private legend(): HTMLElement {
    return h("ul", { class: "legend" }, ...this.events.kinds.map((kind, i) => h("li", {},
      h("span", { class: "swatch", style: `background:${this.colour(i)}` }), kind.replace("_", " "))));
  }

  private colour(kind: number): string {
    return CATEGORY[this.events.kinds[kind]] ?? series(kind);
  }

  private get labelPx(): number {
    return this.canvas.clientWidth < 560 ? NARROW_LABEL_PX : LABEL_PX;
  }

  private get plotPx(): number {
    return Math.max(1, this.canvas.clientWidth - this.labelPx);
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
    const selected = this.selected && this.eventOf(this.selected);
    const middle = selected ? this.events.start[selected] : this.from + this.span / 2;
    this.show(middle - span / 4, span);
  }

  private eventOf(at: { track: number; place: number }): number {
    return this.events.tracks[at.track].events[at.place];
  }

  private track(step: number): void {
    const count = this.events.tracks.length;
    const track = ((this.selected?.track ?? (step > 0 ? -1 : count)) + step + count) % count;
    const place = firstBehind(this.events, this.events.tracks[track], this.from);
    this.select(track, Math.min(place, this.events.tracks[track].events.length - 1));
  }

  private step(step: number): void {
    if (!this.selected) return this.track(1);
    const { track, place } = this.selected;
    const last = this.events.tracks[track].events.length - 1;
    this.select(track, Math.min(last, Math.max(0, place + step)));
    this.reveal();
  }

  private reveal(): void {
    const event = this.eventOf(this.selected!);
    const start = this.events.start[event], end = this.events.end[event];
    if (end < this.from || start > this.from + this.span)
      this.show((start + end) / 2 - this.span / 2, this.span);
  }

  private pick(x: number, y: number): void {
    const track = Math.floor((y - AXIS_PX) / TRACK_PX);
    if (track < 0 || track >= this.events.tracks.length || x < this.labelPx) return;
    const time = this.from + this.part(x) * this.span;
    const place = firstBehind(this.events, this.events.tracks[track], time);
    const event = this.events.tracks[track].events[place];
    const near = this.span / this.plotPx;
    if (event !== undefined && this.events.start[event] <= time + near) this.select(track, place);
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
    const event = this.eventOf(selected);
    const took = events.end[event] - events.start[event];
    const call = events.call[event] >= 0 ? `, call ${events.call[event]}` : "";
    const bytes = events.bytes[event] ? `, ${text(events.bytes[event], "B")}` : "";
    const cycles = this.clock_ps ? ` (${rounded(took / this.clock_ps)} cycles)` : "";
    this.told.textContent = `${events.tracks[selected.track].name}: ` +
      `${events.kinds[events.kind[event]].replace("_", " ")} from ${text(events.start[event], "ps")}` +
      ` for ${text(took, "ps")}${cycles}${call}${bytes}`;
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
    const scale = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const paint = canvas.getContext("2d")!;
    paint.scale(scale, scale);
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
    const { events } = this;
    const perPx = this.span / this.plotPx;
    let x = this.labelPx;
    let place = firstBehind(events, track, this.from);
    while (x < width && place < track.events.length) {
      const event = track.events[place];
      const left = Math.max(this.labelPx, this.x(events.start[event]));
      if (left >= width) break;
      const right = this.x(events.end[event]);
      if (right - left >= 1) {
        this.drawEvent(paint, event, left, Math.min(right, width) - left, top, height);
        x = Math.max(right, x + 1);
        place += 1;
        continue;
      }
      const pixel = Math.floor(left);
      const behind = this.from + (pixel + 1 - this.labelPx) * perPx;
      const next = Math.max(place + 1, firstBehind(events, track, behind));
      const busy = track.busyBefore[next] - track.busyBefore[place];
      const full = Math.min(1, Math.max(0.2, busy / perPx));
      paint.fillStyle = this.colour(events.kind[event]);
      paint.fillRect(pixel, top + height * (1 - full), 1, height * full);
      x = pixel + 1;
      place = next;
    }
  }

  private drawEvent(
    paint: CanvasRenderingContext2D, event: number, left: number, wide: number, top: number,
    height: number,
  ): void {
    paint.fillStyle = this.colour(this.events.kind[event]);
    paint.fillRect(left, top, Math.max(1, wide - 0.5), height);
    const selected = this.selected && this.eventOf(this.selected) === event;
    if (!selected) return;
    paint.strokeStyle = theme("ink");
    paint.lineWidth = 2;
    paint.strokeRect(left + 1, top, Math.max(1, wide - 2), height);
    paint.lineWidth = 1;
  }
}

/** 1, 2 or 5 times a power of ten, no less than what is asked for. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least)!;
}

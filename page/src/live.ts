// SPDX-License-Identifier: Apache-2.0
// A page that `tandem serve` makes again when a number is moved.

import type { Json, PageData, Platform } from "./data.ts";
import { h, words } from "./dom.ts";
import { text } from "./units.ts";

interface State { state: "building" | "ready" | "failed"; stage: string; seconds: number; version: number;
  errors: Json[] }

const POLL_MS = 400;
/** What is moved is asked for once it rests so long. */
const REST_MS = 40;
/** A slider goes from a tenth of a number to ten times it. */
const REACH = 10, STEPS = 100;

type Show = (data: PageData, above: HTMLElement | null) => void;

export function live(show: Show): void {
  new Live(show);
}

class Live {
  private told = h("p", { class: "told", role: "status" });
  private bar = h("progress", { "aria-label": "building" });
  private panel = h("div", { class: "numbers" });
  private above = h("aside", { class: "live", "aria-label": "what if" },
    h("h2", {}, "What if"), this.bar, this.told, this.panel);
  private version = -1;
  private changes = new Map<string, string>();
  private clock_ns: number | null = null;
  private directives: string[] = [];
  private rest = 0;
  private asked = 0;
  private first: number | null = null;
  private platform: Platform | null = null;

  constructor(private show: Show) {
    document.body.replaceChildren(this.above);
    void this.poll();
  }

  private async poll(): Promise<void> {
    const state: State = await (await fetch("state")).json();
    this.tell(state);
    if (state.version !== this.version && state.state === "ready") {
      this.version = state.version;
      this.draw(await (await fetch("data")).json());
    }
    if (state.state === "building") setTimeout(() => void this.poll(), POLL_MS);
  }

  private tell(state: State): void {
    this.bar.hidden = state.state !== "building";
    if (state.state === "building") this.told.textContent = `${state.stage}, ${state.seconds.toFixed(0)} s`;
    else if (state.state === "failed") this.complain(state.errors, state.stage);
  }

  private complain(errors: Json[], otherwise: string): void {
    this.told.replaceChildren(...(errors.length ? errors : [{ message: otherwise, help: "" }]).map((error) =>
      h("span", { class: "warning" }, ...words(error.message), " ", ...words(error.help ?? ""))));
  }

  private draw(data: PageData): void {
    this.show(data, this.above);
    const total = data.results[0]?.total_s;
    if (this.first === null && typeof total === "number") this.first = total;
    if (typeof total === "number" && this.first)
      this.told.textContent = `total ${text(total, "s")}, ${text(this.first / total, "x")} as fast as at first`;
    if (!this.platform && data.platform) {
      this.platform = data.platform;
      this.panel.replaceChildren(...this.controls(data.platform));
    }
  }

  private controls(platform: Platform): HTMLElement[] {
    const rows = platform.rows.flatMap((row) => {
      const found = /^(-?[\d.]+)( ?.*)$/.exec(row.value);
      return found ? [this.number(row.name, Number(found[1]), found[2])] : [];
    });
    const clock = h("input", { type: "number", min: 0.5, max: 1000, step: 0.1, id: "clock",
      onchange: () => { this.clock_ns = clock.value ? Number(clock.value) : null; void this.ask(); } });
    const directives = h("textarea", { rows: 2, id: "directives", placeholder: "main.c:12: unroll(4)",
      onchange: () => {
        this.directives = directives.value.split("\n").map((line) => line.trim()).filter(Boolean);
        void this.ask();
      } });
    return [...rows,
      h("div", { class: "number" }, h("label", { for: "clock" }, "clock of the kernels, ns"), clock,
        h("small", {}, "builds again")),
      h("div", { class: "number" }, h("label", { for: "directives" }, "directives, one a line"), directives,
        h("small", {}, "as --directive has them; builds again"))];
  }

  private number(name: string, value: number, unit: string): HTMLElement {
    const id = `set-${name}`;
    const isCount = unit === "" && Number.isInteger(value);
    const input = h("input", { type: "text", id, value: `${value}${unit}`, size: 10,
      onchange: () => this.set(name, input.value, `${value}${unit}`) });
    const slider = h("input", { type: "range", min: -STEPS, max: STEPS, value: 0,
      "aria-label": `${name}, from a tenth to ten times`, oninput: () => {
        const moved = value * REACH ** (Number(slider.value) / STEPS);
        const shown = isCount ? Math.max(1, Math.round(moved)) : Number(moved.toPrecision(4));
        input.value = `${shown}${unit}`;
        this.set(name, input.value, `${value}${unit}`);
      } });
    return h("div", { class: "number" }, h("label", { for: id }, name), input, slider);
  }

  private set(name: string, value: string, own: string): void {
    if (value === own) this.changes.delete(name);
    else this.changes.set(name, value);
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => void this.ask(), REST_MS);
  }

  /** Asks for the page with what is wanted; of several answers the last one counts. */
  private async ask(): Promise<void> {
    const number = ++this.asked;
    const began = performance.now();
    const wish = { changes: [...this.changes].map(([name, value]) => `${name}=${value}`),
      clock_ns: this.clock_ns, directives: this.directives };
    const answer = await fetch("wish", { method: "POST", body: JSON.stringify(wish),
      headers: { "Content-Type": "application/json" } });
    if (number !== this.asked) return;
    if (answer.status === 202) return void this.poll();
    const found = await answer.json();
    if (answer.status !== 200) return this.complain(found.errors ?? [], answer.statusText);
    this.draw(found);
    document.documentElement.dataset.answered = String(Math.round(performance.now() - began));
  }
}

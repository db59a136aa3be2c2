// SPDX-License-Identifier: Apache-2.0
// The page: a section for whatever its data has.

import type { Json, PageData } from "./data.ts";
import { readData } from "./data.ts";
import { h } from "./dom.ts";
import { live } from "./live.ts";
import { section } from "./parts.ts";
import { advised } from "./sections/advise.ts";
import { budgets, compared } from "./sections/compare.ts";
import { breakdown, breakEven, platforms } from "./sections/breakdown.ts";
import { activity, chip, energy } from "./sections/chip.ts";
import { kernel } from "./sections/kernel.ts";
import { argumentsOf, fifos, loops } from "./sections/loops.ts";
import { provenance } from "./sections/provenance.ts";
import { batches, fit, ladder, reproduction, rest } from "./sections/studies.ts";
import { advice, summary } from "./sections/summary.ts";
import { timeline } from "./sections/timeline.ts";

type Section = (result: Json, at: string) => HTMLElement | null;

const BEFORE: Section[] = [summary, advised, compared, budgets, breakdown, chip, energy, activity, breakEven, advice, reproduction, batches,
  fit, ladder, loops, fifos];
const BEHIND: Section[] = [argumentsOf];

function sections(data: PageData): HTMLElement[] {
  const of = (rows: Section[]) => data.results.flatMap((result, i) =>
    rows.map((make) => numbered(guarded(make, result, `/results/${i}`), i)));
  const clock_ps = data.schedules[0]?.clock_ps ?? null;
  const runs = data.results.map((run, i) => ({ run, at: `/results/${i}` }))
    .filter(({ run }) => run.format === "tandem-run-result");
  const found = [
    platforms(runs),
    ...of(BEFORE),
    data.timeline && data.timeline.count ? timeline(data.timeline, clock_ps) : null,
    ...data.schedules.map((schedule, i) => kernel(schedule, `/schedules/${i}`)),
    ...of(BEHIND),
    provenance(data.platform),
    ...of([rest]),
  ];
  return found.filter((made) => made !== null);
}

/** What cannot be drawn costs its section, and no other. */
function guarded(make: Section, result: Json, at: string): HTMLElement | null {
  try {
    return make(result, at);
  } catch (error) {
    console.error(error);
    return section(`failed-${at.split("/").pop()}-${BEFORE.indexOf(make)}`, "A part of this result", [],
      h("p", { class: "warning" }, `This cannot be drawn: ${String(error)}`));
  }
}

/** Sections of a second result and further ones have names of their own. */
function numbered(made: HTMLElement | null, number: number): HTMLElement | null {
  if (!made || !number) return made;
  const heading = made.querySelector("h2")!;
  made.id = `${made.id}-${number + 1}`;
  heading.id = `${made.id}-title`;
  heading.firstChild!.textContent += ` (${number + 1})`;
  made.setAttribute("aria-labelledby", heading.id);
  return made;
}

function contents(made: HTMLElement[]): HTMLElement {
  return h("nav", { "aria-label": "contents" }, h("ul", {}, ...made.map((part) => h("li", {},
    h("a", { href: `#${part.id}` }, part.querySelector("h2")!.firstChild!.textContent)))));
}

const THEME = "tandem-theme";

function themeButton(): HTMLElement {
  const root = document.documentElement;
  const isDark = () => root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const button = h("button", { type: "button", class: "theme", onclick: () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
    window.dispatchEvent(new Event(THEME));
  } });
  const name = () => { button.textContent = isDark() ? "light" : "dark";
    button.setAttribute("aria-label", `show it ${isDark() ? "light" : "dark"}`); };
  name();
  return button;
}

/** Draws a page of some data; what is `above` stays as it is from one to the next. */
function show(data: PageData, above: HTMLElement | null): void {
  const made = sections(data);
  const header = h("header", {}, h("h1", {}, data.title), themeButton());
  const footer = h("footer", {}, `made by Tandem ${data.tandem_version}`);
  const main = h("main", { id: "main", tabindex: -1 }, ...made);
  const frame = document.getElementById("frame");
  const page = [header, contents(made), main, footer];
  if (frame) frame.replaceChildren(...page);
  else document.body.replaceChildren(h("a", { class: "skip", href: "#main" }, "to the contents"),
    ...(above ? [above] : []), h("div", { id: "frame" }, ...page));
  document.title = data.title;
  document.documentElement.dataset.ready = String(Number(document.documentElement.dataset.ready ?? 0) + 1);
}

const data = readData();
if (data.live) live(show);
else show(data, null);

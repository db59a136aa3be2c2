// SPDX-License-Identifier: Apache-2.0
// What sections are made of: their frame, tables, charts with the numbers beneath.

import { append, Child, h } from "./dom.ts";

/** How a number was got. */
export type Origin = "measured" | "simulated" | "estimated" | "published" | "fitted" | "proven";

export const ORIGINS: Record<Origin, string> = {
  measured: "measured on this machine",
  simulated: "simulated, exact to the cycle of the model",
  estimated: "estimated from measured operators",
  published: "as published",
  fitted: "fitted to measurements",
  proven: "proven by the compiler",
};

export function badge(origin: Origin): HTMLElement {
  return h("span", { class: `badge ${origin}`, title: ORIGINS[origin] }, origin);
}

/** A section with its heading; the list of contents is made of these. */
export function section(
  id: string, title: string, origins: Origin[], ...children: Child[]
): HTMLElement {
  const heading = h("h2", { id: `${id}-title` }, title, ...origins.flatMap((o) => [" ", badge(o)]));
  return h("section", { id, "aria-labelledby": `${id}-title` }, heading, ...children);
}

export type Cell = Child | { cell: Child; class?: string; style?: string };

function isStyled(cell: Cell): cell is { cell: Child; class?: string; style?: string } {
  return typeof cell === "object" && cell !== null && "cell" in (cell as object);
}

/** A table; columns whose titles begin with `#` are numbers. Narrow pages scroll it by itself. */
export function table(caption: string, titles: string[], rows: Cell[][]): HTMLElement {
  const numeric = titles.map((title) => title.startsWith("#"));
  const head = titles.map((title, i) =>
    h("th", { scope: "col", class: numeric[i] ? "number" : undefined }, title.replace("#", "")));
  const body = rows.map((row) => h("tr", {}, row.map((cell, i) => {
    const styled = isStyled(cell) ? cell : { cell };
    const classes = [numeric[i] ? "number" : "", styled.class ?? ""].filter(Boolean).join(" ");
    const attributes = { class: classes || undefined, style: styled.style };
    return i === 0
      ? h("th", { scope: "row", ...attributes }, styled.cell)
      : h("td", attributes, styled.cell);
  })));
  const made = h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head)), h("tbody", {}, body));
  return scrolls(caption, made);
}

/** A cell with a bar behind it, `share` of the cell's width. */
export function meter(cell: Child, share: number): Cell {
  return { cell, class: "meter", style: `--share:${Math.min(1, share).toFixed(3)}` };
}

/** A colour beside its name. */
export function swatch(colour: string, name: Child): Child[] {
  return [h("span", { class: "swatch", style: `background:${colour}` }), name];
}

/** What the colours of a chart stand for. */
export function legend(rows: [colour: string, name: Child][]): HTMLElement {
  return h("ul", { class: "legend" }, ...rows.map((row) => h("li", {}, swatch(...row))));
}

/** Something wide, that can be scrolled with the keyboard too. */
export function scrolls(label: string, ...children: Child[]): HTMLElement {
  return h("div", { class: "scrolls", tabindex: 0, role: "group", "aria-label": label },
    ...children);
}

/** Buttons of which one is pressed: what is shown in the place below. */
export function choice(
  label: string, names: string[], show: (index: number, place: HTMLElement) => void,
): HTMLElement {
  const place = h("div", { class: "chosen" });
  const buttons = names.map((name, i) => h("button", { type: "button", onclick: () => pick(i) }, name));
  function pick(index: number): void {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
    place.replaceChildren();
    show(index, place);
  }
  pick(0);
  const bar = h("div", { class: "choice", role: "group", "aria-label": label }, ...buttons);
  return h("div", {}, names.length > 1 ? bar : null, place);
}

/** A drawing with its name, and what it says as a list of numbers beneath. */
export function chart(name: string, drawing: Node, ...beneath: Child[]): HTMLElement {
  const made = h("figure", { class: "chart" }, drawing, h("figcaption", {}, name));
  append(made, beneath);
  return made;
}

export function note(...children: Child[]): HTMLElement {
  return h("p", { class: "note" }, ...children);
}

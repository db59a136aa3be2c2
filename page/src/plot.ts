// SPDX-License-Identifier: Apache-2.0
// Charts of the library, all drawn one way: as wide as their place, in the page's colours, each one
// picture with a name, whose numbers are in a table beside it.

import * as Plot from "@observablehq/plot";
import { h } from "./dom.ts";

const LEAST_PX = 280, MOST_PX = 1100;
const LETTER_PX = 7.2;

/** A chart that is drawn when its place has a width, and again when that changes. */
export function plot(label: string, options: (width: number) => Plot.PlotOptions): HTMLElement {
  const place = h("div", { class: "plot" });
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.max(LEAST_PX, Math.min(MOST_PX, place.clientWidth));
    if (!place.clientWidth || width === drawn) return;
    drawn = width;
    place.replaceChildren(picture(label, Plot.plot({
      width, marginBottom: 42, ...options(width),
      style: { background: "transparent", color: "var(--ink)", fontSize: "13px" },
    })));
  }).observe(place);
  return place;
}

function picture(label: string, drawing: Element): Element {
  for (const part of drawing.querySelectorAll("[aria-label], [aria-description]")) {
    part.removeAttribute("aria-label");
    part.removeAttribute("aria-description");
  }
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", label);
  return drawing;
}

/** The room that names at the left take, and how many letters of each fit. */
export function namesAtLeft(names: string[], width: number): { px: number; fit: (name: string) => string } {
  const longest = Math.max(...names.map((name) => name.length));
  const px = Math.min(LETTER_PX * longest + 14, 0.38 * width);
  const letters = Math.round((px - 14) / LETTER_PX);
  return { px, fit: (name) => name.length > letters ? `${name.slice(0, letters - 1)}…` : name };
}

// SPDX-License-Identifier: Apache-2.0
// Colours that people with any kind of colour vision tell apart (Okabe and Ito, Color Universal
// Design, 2008), and what each stands for on every chart of a page.

import type { Cause } from "./data.ts";

const ORANGE = "#e69f00", SKY = "#56b4e9", GREEN = "#009e73", YELLOW = "#f0e442";
const BLUE = "#0072b2", VERMILION = "#d55e00", PURPLE = "#cc79a7", GREY = "#999999";

export const CATEGORY: Record<string, string> = {
  configure: GREY, host: "#c9b26b", call: ORANGE, copy: YELLOW, transfer_in: SKY,
  compute: GREEN, transfer_out: BLUE, wait: PURPLE, transfer: SKY,
  software: VERMILION, program: VERMILION,
};

export const CAUSE: Record<Cause, string> = {
  nothing: GREY, dependence: SKY, clock: ORANGE, resource: VERMILION, order: PURPLE,
  exit: YELLOW, slack: GREEN,
};

export const CAUSES: Record<Cause, string> = {
  nothing: "starts at once",
  dependence: "waits for an input",
  clock: "does not fit the clock period any more",
  resource: "waits for a port or a shared unit",
  order: "waits for an access before it",
  exit: "waits for the loop's exit",
  slack: "could be earlier; fewer bits wait so",
};

const SERIES = [BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, GREY, YELLOW];

export function series(index: number): string {
  return SERIES[index % SERIES.length];
}

/** Text on a colour: black or white, whichever is read better. */
export function on(colour: string): string {
  const parts = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
  const [r, g, b] = parts.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000" : "#fff";
}

export function theme(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

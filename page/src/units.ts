// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them. Each figure of the page knows where it is in the page's data, so
// that what is shown can be compared with what is there.

import { h } from "./dom.ts";

export type Unit =
  | "s" | "ps" | "ns" | "cycles" | "B" | "B/s" | "J" | "W" | "MHz" | "x" | "%" | "" | "raw";

const TIMES: [number, string][] = [
  [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"],
];
const SIZES: [number, string][] = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
const ENERGIES: [number, string][] = [
  [1, "J"], [1e-3, "mJ"], [1e-6, "µJ"], [1e-9, "nJ"], [1e-12, "pJ"],
];

function scaled(value: number, steps: [number, string][], digits = 4): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const [step, name] = steps.find(([least]) => size >= least * 0.9995) ?? steps[steps.length - 1];
  return `${rounded(value / step, digits)} ${name}`;
}

/** A number with so many digits that count, and thousands apart. */
export function rounded(value: number, digits = 4): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
  const before = Math.floor(Math.log10(Math.abs(value))) + 1;
  const after = Math.min(12, Math.max(0, digits - before));
  return value.toLocaleString("en", { minimumFractionDigits: 0, maximumFractionDigits: after });
}

/** So many of something. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

export function text(value: number, unit: Unit): string {
  switch (unit) {
    case "s": return scaled(value, TIMES);
    case "ps": return scaled(value * 1e-12, TIMES);
    case "ns": return `${rounded(value)} ns`;
    case "B": return scaled(value, SIZES);
    case "B/s": return value === 0 ? "0" : `${scaled(value, SIZES)}/s`;
    case "J": return scaled(value, ENERGIES);
    case "W": return value === 0 ? "0" : scaled(value, ENERGIES).replace("J", "W");
    case "MHz": return `${rounded(value)} MHz`;
    case "x": return `${rounded(value, 3)}×`;
    case "%": return percent(value);
    case "raw": return String(value);
    case "cycles":
    case "": return rounded(value);
  }
}

/** A part of a whole. What is there and rounds to nothing says so. */
function percent(part: number): string {
  const value = 100 * part;
  if (value === 0) return "0 %";
  if (Math.abs(value) < 0.05) return value < 0 ? "> -0.1 %" : "< 0.1 %";
  return `${value.toLocaleString("en", { maximumFractionDigits: 1 })} %`;
}

/** A name as a part of a place (JSON Pointer, RFC 6901). */
export function esc(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A figure: the number at a place of the page's data, such as `/results/0/total_s`. */
export function figure(at: string, value: number | null | undefined, unit: Unit): HTMLElement {
  if (value === null || value === undefined) return h("span", { class: "none" }, "–");
  return h("span", { class: "figure", "data-at": at, "data-unit": unit, title: String(value) },
    text(value, unit));
}

/** One that is a part of another: both places, of which the page shows the ratio. */
export function ratio(
  of: string, value: number, to: string, whole: number, unit: Unit = "%",
): HTMLElement {
  if (!whole) return h("span", { class: "none" }, "–");
  return h("span",
    { class: "figure", "data-at": of, "data-over": to, "data-unit": unit,
      title: String(value / whole) },
    text(value / whole, unit));
}

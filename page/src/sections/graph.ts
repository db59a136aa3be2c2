// SPDX-License-Identifier: Apache-2.0
// The data flow around some operations.

import dagre from "@dagrejs/dagre";
import { CAUSE, on } from "../colours.ts";
import type { Schedule } from "../data.ts";
import { h, svg } from "../dom.ts";
import { chart, scrolls } from "../parts.ts";
import { told, users } from "./selection.ts";

const MOST_CHOSEN = 12, MOST_NODES = 36, MOST_NEXT = 8, STEPS = 2;
const NODE = { width: 112, height: 30 };

/** What some operations read, directly and through one more, and what reads them the same way. */
function around(schedule: Schedule, chosen: number[]): number[] {
  const found = new Set(chosen.slice(0, MOST_CHOSEN));
  const ways = [(n: number) => schedule.operations[n][11], (n: number) => users(schedule, n)];
  for (const next of ways) {
    let edge = [...found].slice(0, MOST_CHOSEN);
    for (let step = 0; step < STEPS; step++) {
      edge = edge.flatMap((n) => next(n).slice(0, MOST_NEXT)).filter((n) => !found.has(n));
      for (const n of edge) if (found.size < MOST_NODES) found.add(n);
    }
  }
  return [...found];
}

/** Nodes are coloured by what holds them back, edges point from values to their readers. */
export function drawGraph(
  schedule: Schedule, chosen: number[], pick: (number: number) => void,
): HTMLElement {
  const shown = around(schedule, chosen);
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", ranksep: 28, nodesep: 8, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const n of shown) graph.setNode(String(n), { ...NODE });
  const inside = new Set(shown);
  for (const n of shown)
    for (const input of schedule.operations[n][11])
      if (inside.has(input)) graph.setEdge(String(input), String(n));
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
    "aria-label": "data flow around the selection",
  }, svg("defs", {}, svg("marker",
    { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7,
      orient: "auto" },
    svg("path", { d: "M0 0 8 4 0 8z", class: "arrow" }))));
  for (const edge of graph.edges()) drawing.append(edgePath(graph.edge(edge).points));
  for (const n of shown) drawing.append(node(schedule, n, graph.node(String(n)), chosen, pick));
  return chart("Data flow: what the selected operations read, and what reads them",
    scrolls("data flow", drawing),
    h("span", { class: "hidden" }, `${shown.length} operations`));
}

function edgePath(points: { x: number; y: number }[]): SVGElement {
  const d = points.map((p, i) => `${i ? "L" : "M"}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join("");
  return svg("path", { d, class: "edge", "marker-end": "url(#arrow)" });
}

function node(
  schedule: Schedule, number: number, place: { x: number; y: number }, chosen: number[],
  pick: (number: number) => void,
): SVGElement {
  const row = schedule.operations[number];
  const colour = CAUSE[row[6]];
  const label = `${told(row)}, cycle ${row[4]}, line ${row[3]}`;
  const made = svg("g", {
    transform: `translate(${place.x - NODE.width / 2} ${place.y - NODE.height / 2})`,
    class: chosen.includes(number) ? "node chosen" : "node", tabindex: 0, role: "button",
    "aria-label": label,
    onclick: () => pick(number),
    onkeydown: (event) => {
      if (["Enter", " "].includes((event as KeyboardEvent).key)) {
        event.preventDefault();
        pick(number);
      }
    },
  }, svg("title", {}, label),
  svg("rect", { width: NODE.width, height: NODE.height, rx: 3, fill: colour }),
  svg("text", { x: 6, y: 13, fill: on(colour) }, `${row[0]} ${row[1] || ""}`),
  svg("text", { x: 6, y: 25, fill: on(colour), class: "small" },
    `cycle ${row[4]}${row[3] ? `, line ${row[3]}` : ""}`));
  return made;
}

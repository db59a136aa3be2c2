// SPDX-License-Identifier: Apache-2.0
// The data of a page, as docs/schemas/page.json has it.

/* eslint-disable-next-line -- results are as many as commands are */
export type Json = any;

export interface Block {
  block: string;
  file: number;
  line: number;
  column: number;
  ii: number | null;
  length_cycles: number;
  longest_ps: number;
  res_mii: number;
  rec_mii: number;
  limit: string;
  first: number;
  operations: number;
}

export type Row = [
  operation: string, bits: number, file: number, line: number, cycle: number, latency: number,
  cause: Cause, waitsFor: number, unit: number, lut4: number, ff: number, inputs: number[],
];

export type Cause = "nothing" | "dependence" | "clock" | "resource" | "order" | "exit" | "slack";

export interface Port {
  line: number;
  column: number;
  access: string;
  ports: number;
  accesses: number;
  ii: number;
  lines: number[];
}

export interface Schedule {
  kernel: string;
  /** As the C has it. */
  name: string;
  target: string;
  clock_ps: number;
  reachable_clock_ps: number;
  ii: number | null;
  latency_cycles: number | null;
  area: Record<string, Json>;
  blocks: Block[];
  operations: Row[];
  memories: {
    name: string; kind: string; element_bits: number; depth: number | null; ports: Port[];
  }[];
  texts: string[];
  files: { name: string; text: string | null }[];
}

export interface Timeline {
  tracks: { name: string; group: string }[];
  kinds: string[];
  count: number;
  dropped: number;
  columns: Record<"track" | "kind" | "start_ps" | "duration_ps" | "call" | "bytes", string>;
}

export interface Platform {
  name: string;
  title: string;
  rows: { name: string; value: string; source: string }[];
  changes: string[];
}

export interface PageData {
  format: "tandem-page";
  format_version: number;
  title: string;
  tandem_version: string;
  results: Json[];
  schedules: Schedule[];
  timeline: Timeline | null;
  platform: Platform | null;
  /** Whether it asks a server for all else. */
  live?: boolean;
}

export function readData(): PageData {
  return JSON.parse(document.getElementById("data")!.textContent!);
}

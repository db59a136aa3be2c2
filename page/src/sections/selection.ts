// SPDX-License-Identifier: Apache-2.0
// Operations of a schedule: which are selected, and what they are.

import type { Row, Schedule } from "../data.ts";

/** The operations that are selected, and who wants to know. */
export class Selection {
  operations: number[] = [];
  private watchers: (() => void)[] = [];

  watch(watcher: () => void): void {
    this.watchers.push(watcher);
  }

  set(operations: number[]): void {
    this.operations = operations;
    for (const watcher of this.watchers) watcher();
  }
}

export function told(row: Row): string {
  return `${row[0]}${row[1] ? `, ${row[1]} bits` : ""}`;
}

const READERS = new WeakMap<Schedule, number[][]>();

/** The operations that read an operation's value. */
export function users(schedule: Schedule, number: number): number[] {
  let found = READERS.get(schedule);
  if (!found) {
    found = schedule.operations.map((): number[] => []);
    schedule.operations.forEach((row, i) => row[11].forEach((input) => found![input].push(i)));
    READERS.set(schedule, found);
  }
  return found[number];
}

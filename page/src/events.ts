// SPDX-License-Identifier: Apache-2.0
// The events of a timeline, unpacked: columns of numbers, and for each track what lies where.

import type { Timeline } from "./data.ts";

/** The events of a track, in the order of their starts; no two overlap. */
export interface Track {
  name: string;
  group: string;
  count: number;
  start: Float64Array;
  end: Float64Array;
  kind: Uint8Array;
  call: Int32Array;
  bytes: Float64Array;
  /** How much of the track is busy before each of its events; one more than events. */
  busyBefore: Float64Array;
}

export interface Events {
  count: number;
  kinds: string[];
  tracks: Track[];
  end_ps: number;
}

/** Numbers, seven bits a byte, the lowest first, deflated and in base64. */
async function unpack(text: string, count: number): Promise<Float64Array> {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const found = new Float64Array(count);
  let place = 0;
  for (let i = 0; i < count; i++) {
    let value = 0, weight = 1, byte;
    do {
      byte = bytes[place++];
      value += (byte & 127) * weight;
      weight *= 128;
    } while (byte & 128);
    found[i] = value;
  }
  return found;
}

export async function readEvents(timeline: Timeline): Promise<Events> {
  const { count, columns, kinds } = timeline;
  const [track, kind, start, duration, call, bytes] = await Promise.all(
    [columns.track, columns.kind, columns.start_ps, columns.duration_ps, columns.call, columns.bytes]
      .map((column) => unpack(column, count)));
  const sizes = new Uint32Array(timeline.tracks.length);
  for (let i = 0; i < count; i++) sizes[track[i]]++;
  const tracks = timeline.tracks.map((row, i) => emptyTrack(row, sizes[i]));
  let time = 0, last = 0;
  for (let i = 0; i < count; i++) {
    time += start[i];
    const own = tracks[track[i]], place = own.count++;
    own.start[place] = time;
    own.end[place] = time + duration[i];
    own.kind[place] = kind[i];
    own.call[place] = call[i] - 1;
    own.bytes[place] = bytes[i];
    own.busyBefore[place + 1] = own.busyBefore[place] + duration[i];
    last = Math.max(last, time + duration[i]);
  }
  return { count, kinds, tracks, end_ps: last };
}

function emptyTrack(row: { name: string; group: string }, size: number): Track {
  return {
    ...row, count: 0, start: new Float64Array(size), end: new Float64Array(size),
    kind: new Uint8Array(size), call: new Int32Array(size), bytes: new Float64Array(size),
    busyBefore: new Float64Array(size + 1),
  };
}

/** The place of the first event of a track, from a place on, that ends behind a time: in steps that
 * double, and then by bisection, as it is seldom far. */
export function firstBehind(track: Track, time: number, from = 0): number {
  const { end, count } = track;
  let low = from, step = 1, high = from;
  while (high < count && end[high] <= time) {
    low = high + 1;
    high = Math.min(count, high + step);
    step *= 2;
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

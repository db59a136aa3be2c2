// SPDX-License-Identifier: Apache-2.0
// The events of a timeline, unpacked: columns of numbers, and for each track what lies where.

import type { Timeline } from "./data.ts";

export interface Track {
  name: string;
  group: string;
  /** Of each event of the track, in the order of their starts: its number. */
  events: Uint32Array;
  /** How much of the track is busy before each of its events; one more than events. */
  busyBefore: Float64Array;
}

export interface Events {
  count: number;
  start: Float64Array;
  end: Float64Array;
  kind: Uint8Array;
  call: Int32Array;
  bytes: Float64Array;
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
  const { count, columns } = timeline;
  const [track, kind, start, duration, call, bytes] = await Promise.all(
    [columns.track, columns.kind, columns.start_ps, columns.duration_ps, columns.call, columns.bytes]
      .map((column) => unpack(column, count)));
  const end = new Float64Array(count);
  let last = 0;
  for (let i = 0; i < count; i++) {
    start[i] += i ? start[i - 1] : 0;
    end[i] = start[i] + duration[i];
    last = Math.max(last, end[i]);
  }
  return {
    count, start, end, bytes, kinds: timeline.kinds, end_ps: last,
    kind: Uint8Array.from(kind),
    call: Int32Array.from(call, (value) => value - 1),
    tracks: timeline.tracks.map((row, i) => ({ ...row, ...ofTrack(i, track, start, end) })),
  };
}

function ofTrack(
  number: number, track: Float64Array, start: Float64Array, end: Float64Array,
): Pick<Track, "events" | "busyBefore"> {
  let count = 0;
  for (let i = 0; i < track.length; i++) count += track[i] === number ? 1 : 0;
  const events = new Uint32Array(count), busyBefore = new Float64Array(count + 1);
  let place = 0;
  for (let i = 0; i < track.length; i++) {
    if (track[i] !== number) continue;
    events[place] = i;
    busyBefore[place + 1] = busyBefore[place] + end[i] - start[i];
    place++;
  }
  return { events, busyBefore };
}

/** The place of the first event of a track that ends behind a time. */
export function firstBehind(events: Events, track: Track, time: number): number {
  let low = 0, high = track.events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events.end[track.events[middle]] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// SPDX-License-Identifier: Apache-2.0
// How numbers were got: a platform's, each with its source, and the kinds that badges tell.

import type { Platform } from "../data.ts";
import { Child, h } from "../dom.ts";
import { badge, note, Origin, ORIGINS, section, table } from "../parts.ts";

/** What a source says of a number's making. */
function originOf(source: string): Origin {
  if (/calibrat|fitted|chosen so/i.test(source)) return "fitted";
  if (/order of magnitude|estimat|assum|guess/i.test(source)) return "estimated";
  if (/measured here|on this machine/i.test(source)) return "measured";
  return "published";
}

export function provenance(platform: Platform | null): HTMLElement {
  const kinds = h("dl", {}, ...(Object.keys(ORIGINS) as Origin[]).flatMap((origin) =>
    [h("dt", {}, badge(origin)), h("dd", {}, ORIGINS[origin])]));
  return section("provenance", "How each number was got", [], kinds,
    platform ? numbers(platform) : note("No platform's numbers are on this page."));
}

function numbers(platform: Platform): Child {
  const rows = platform.rows.map((row) =>
    [h("code", {}, row.name), row.value, badge(originOf(row.source)), row.source]);
  const changes = platform.changes.length
    ? h("p", { class: "warning" }, "Otherwise than the file says: ", platform.changes.join(", ")) : null;
  return [changes, h("details", { open: rows.length < 12 },
    h("summary", {}, `${rows.length} numbers of ${platform.title || platform.name}`),
    table(`Numbers of ${platform.name}, each with its source`, ["number", "value", "how", "source"], rows))];
}

// SPDX-License-Identifier: Apache-2.0
// Builds the program of the pages, with the licences of the libraries that are in it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const FOLDER = "../python/tandem/_page";
const COPYRIGHT = /^copyright .*\d{4}/i;

/** The folders of all packages that may be in the program: those that are not for building it. */
function shipped() {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  return Object.keys(packages).filter((path) => path && !packages[path].dev).sort();
}

/** Licence texts, each once, with the packages and the holders that have it. */
function licences(folders) {
  const texts = new Map();
  for (const folder of folders) {
    const name = folder.replace(/^.*node_modules\//, "");
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence`);
    const text = readFileSync(join(folder, file), "utf8").replaceAll("*/", "* /").trim();
    const holders = text.split("\n").filter((line) => COPYRIGHT.test(line.trim()));
    const body = text.split("\n").filter((line) => !COPYRIGHT.test(line.trim())).join("\n").trim();
    const key = body.replace(/\s+/g, " ");
    const found = texts.get(key) ?? { body, rows: [] };
    found.rows.push(`${name}: ${holders.map((line) => line.trim()).join("; ")}`);
    texts.set(key, found);
  }
  return [...texts.values()].map(({ rows, body }) => `${rows.join("\n")}\n\n${body}`).join("\n\n");
}

const program = {
  entryPoints: ["src/main.ts"], bundle: true, minify: true, format: "iife", target: "es2022",
  charset: "utf8", legalComments: "none", outfile: `${FOLDER}/page.js`,
};
const footer = `/*\nThis program has parts of others in it:\n\n${licences(shipped())}\n*/`;
await build({ ...program, footer: { js: footer } });
await build({ entryPoints: ["src/page.css"], minify: true, outfile: `${FOLDER}/page.css` });

/**
 * Runs one measurement of `xml.mjs` in a process of its own: `node --expose-gc bench/xml-run.mjs PARSER FILE RUNS`.
 * Prints JSON: milliseconds of the last run, and the peak resident size in bytes.
 */
import { readFileSync } from "node:fs";
import { XMLParser } from "fast-xml-parser";
import { parseXml } from "../dist/core/tree/xml/parse.js";

const parsers = {
  plumbline: (bytes) => parseXml(bytes),
  "fast-xml-parser": (bytes) =>
    new XMLParser({ preserveOrder: true, ignoreAttributes: false, parseTagValue: false, parseAttributeValue: false }).parse(bytes),
};

const [parser = "", file = "", runs = "1"] = process.argv.slice(2);
const bytes = readFileSync(file);
let tree;
let milliseconds = 0;
for (let run = 0; run < Number(runs); run++) {
  tree = undefined;
  if (run > 0) globalThis.gc();
  const start = process.hrtime.bigint();
  tree = parsers[parser](bytes);
  milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
}
if (tree === undefined) throw new Error("nothing was parsed");
console.log(JSON.stringify({ milliseconds, peak: process.resourceUsage().maxRSS * 1024 }));

/** Parses a live configuration and loads a desired state in a new process: the minimal work of every plan. */
import { readFileSync } from "node:fs";
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { loadDesired } from "../dist/desired/load.js";
import { kinds } from "../dist/targets/registry.js";

const [xml, configuration] = process.argv.slice(2);
const root = parseXml(readFileSync(xml));
const desired = await loadDesired(configuration, { environment: process.env, kinds, today: "2026-01-01", resolveSecrets: false });
if (root.children.length === 0 || desired.targets.size === 0) throw new Error("nothing was read");

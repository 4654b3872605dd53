import { readFileSync } from "node:fs";
import type { Difference } from "./run-kinds.js";

const ROW = /^\| `(?<where>[A-Z]+ [a-z0-9_-]+)` \| `(?<label>[^`]+)` \|/;

/** Returns the differences that the table in docs/contributing/conformance-openstack.md does not list. */
export function newDifferences(differences: readonly Difference[]): Difference[] {
  const page = readFileSync("docs/contributing/conformance-openstack.md", "utf8").split("\n");
  const known = new Set<string>();
  for (const line of page) {
    const row = ROW.exec(line)?.groups;
    if (row !== undefined) known.add(`${row.where} ${row.label}`);
  }
  return differences.filter(({ where, labels }) => !labels.some((label) => known.has(`${where} ${label}`)));
}

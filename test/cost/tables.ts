import { readFileSync } from "node:fs";

/** A request of a pass and its step, as a table of `docs/contributing/requests.md` has them below a heading. */
export function tableOf(heading: string): string[] {
  const [, section = ""] = readFileSync("docs/contributing/requests.md", "utf8").split(`\n## ${heading}\n`);
  const [below = ""] = section.split(/^## /m);
  return [...below.matchAll(/^\| (\d+) \| `([^`]+)` \|/gm)].map(([, step = "", words = ""]) => `${step} ${words}`);
}

/** The sentence that the page has for a pass: its number of requests, and how many of them wait for one another. */
export function sumOf(heading: string): { readonly requests: number; readonly steps: number } | undefined {
  const [, section = ""] = readFileSync("docs/contributing/requests.md", "utf8").split(`\n## ${heading}\n`);
  const found = /(\d+) requests in (\d+) steps?\./.exec(section);
  return found === null ? undefined : { requests: Number(found[1]), steps: Number(found[2]) };
}

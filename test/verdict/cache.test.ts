import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAX_ENTRIES, VerdictCache } from "../../src/verdict/cache.js";
import { md5, temporaryFolder } from "./support.js";

const NOW = Date.UTC(2026, 0, 5);
const HOUR = 3600 * 1000;
const now = (): number => NOW;
const row = (hash: string, verdict: number | null, asked: number): string => JSON.stringify({ hash, verdict, asked });
const linesOf = (file: string): string[] => readFileSync(file, "utf8").trimEnd().split("\n");

describe("the cache of verdicts", () => {
  it("is rewritten when most of it is outdated, and the latest entry counts", async () => {
    const file = join(temporaryFolder(), "verdicts.jsonl");
    const old = Array.from({ length: 300 }, (_, i) => row(md5(`old ${i}`), -102, NOW - 2 * HOUR));
    writeFileSync(file, `${[row(md5("a"), 0, NOW - HOUR), ...old, row(md5("a"), 1, NOW), row(md5("b"), null, NOW)].join("\n")}\n`);
    const cache = await VerdictCache.open(file, now);
    expect(linesOf(file)).toEqual([row(md5("a"), 1, NOW), row(md5("b"), null, NOW)]);
    expect([cache.get(md5("a")), cache.get(md5("b")), cache.get(md5("old 1"))]).toEqual([
      { verdict: 1, asked: NOW },
      { verdict: undefined, asked: NOW },
      undefined,
    ]);
  });

  it("drops the oldest entries if it is full", async () => {
    const file = join(temporaryFolder(), "verdicts.jsonl");
    const hash = (i: number): string => i.toString(16).padStart(32, "0");
    writeFileSync(file, Array.from({ length: MAX_ENTRIES + 2 }, (_, i) => `${row(hash(i), 1, NOW)}\n`).join(""));
    const cache = await VerdictCache.open(file, now);
    expect([0, 1, 2, MAX_ENTRIES + 1].map((i) => cache.get(hash(i))?.verdict)).toEqual([undefined, undefined, 1, 1]);
  });

  it("is written by appending", async () => {
    const file = join(temporaryFolder(), "deep", "verdicts.jsonl");
    const cache = await VerdictCache.open(file, now);
    for (const name of ["a", "b"]) await cache.add(new Map([[md5(name), { verdict: 0, asked: NOW }]]));
    expect(linesOf(file)).toEqual([row(md5("a"), 0, NOW), row(md5("b"), 0, NOW)]);
    expect((await VerdictCache.open(file, now)).get(md5("b"))?.verdict).toBe(0);
  });
});

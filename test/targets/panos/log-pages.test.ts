import { describe, expect, it } from "vitest";
import { TreeNode } from "../../../src/core/tree/node.js";
import type { PanosClient } from "../../../src/targets/panos/client/client.js";
import { logPages, MAX_RECORDS } from "../../../src/targets/panos/log-pages.js";
import { LogClient, type LogQuery } from "../../../src/targets/panos/log-query.js";
import { dependencies } from "./fixtures.js";

const record = (seqno: number): TreeNode => new TreeNode("entry", undefined, "", [new TreeNode("seqno", undefined, String(seqno))]);

/** A log of `size` records, newest (highest number) first, that grows by `growth` after each query. */
class GrowingLog extends LogClient {
  readonly queries: LogQuery[] = [];

  constructor(
    public size: number,
    readonly growth = 0,
  ) {
    super({} as PanosClient, dependencies().clock);
  }

  override async query(query: LogQuery) {
    this.queries.push(query);
    const { skip = 0, count = 20 } = query;
    const records = Array.from({ length: Math.max(0, Math.min(count, this.size - skip)) }, (_, i) => record(this.size - skip - i));
    this.size += this.growth;
    return { records, job: new Map(), meta: undefined };
  }
}

async function pagesOf(log: LogClient, count: number): Promise<number[][]> {
  const pages: number[][] = [];
  for await (const page of logPages(log, { type: "threat", query: "( a eq b )", direction: "backward", count }))
    pages.push(page.map((each) => Number(each.get("seqno"))));
  return pages;
}

const down = (from: number, to: number): number[] => Array.from({ length: from - to + 1 }, (_, i) => from - i);

describe("pages of a log", () => {
  it("are one job each, of at most 5,000 records, by nlogs and skip", async () => {
    const log = new GrowingLog(20_000);
    expect((await pagesOf(log, 12_000)).flat()).toEqual(down(20_000, 8_001));
    expect(log.queries.map(({ count, skip }) => [count, skip])).toEqual([
      [5_000, 0],
      [5_000, 5_000],
      [2_000, 10_000],
    ]);
    expect(log.queries[2]).toMatchObject({ type: "threat", query: "( a eq b )", direction: "backward" });
  });

  it("end with the log", async () => {
    const log = new GrowingLog(MAX_RECORDS + 1);
    expect((await pagesOf(log, Number.POSITIVE_INFINITY)).map(({ length }) => length)).toEqual([5_000, 1]);
    expect((await pagesOf(new GrowingLog(0), 20)).flat()).toEqual([]);
  });

  it("contain each record once, also while others arrive", async () => {
    for (const growth of [1, 7, 3_000]) {
      const log = new GrowingLog(20_000, growth);
      expect((await pagesOf(log, 12_000)).flat()).toEqual(down(20_000, 8_001));
    }
  });

  it("end if a log fills as fast as it is read", async () => {
    expect((await pagesOf(new GrowingLog(20_000, 5_000), 12_000)).flat()).toEqual(down(20_000, 15_001));
  });
});

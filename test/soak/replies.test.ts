import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Examined, examine } from "../safety/replies/examine.js";
import * as subjects from "../safety/replies/subjects.js";

/**
 * PLUMBLINE_REPLIES_COUNT replies a reader from PLUMBLINE_REPLIES_SEED on; PLUMBLINE_REPLIES_SUMS names a file of the sums so far, after
 * whose last seeds this run goes on, and in which each batch that held is added up.
 */
const { PLUMBLINE_REPLIES_SEED = "1", PLUMBLINE_REPLIES_COUNT = "100000", PLUMBLINE_REPLIES_SUMS: file } = process.env;
const COUNT = Number(PLUMBLINE_REPLIES_COUNT);
const BATCH = 2_000;

type Sums = Omit<Examined, "wrong"> & { readonly first: number };
type SumsByReader = Readonly<Record<string, Sums | undefined>>;

describe.each(Object.entries(subjects))("the reader of %s", (reader, open) => {
  it(`survives ${COUNT} damaged replies`, { timeout: 24 * 3_600_000 }, async () => {
    const subject = await open();
    let sums = soFar()[reader] ?? nothingYet(Number(PLUMBLINE_REPLIES_SEED));
    while (repliesOf(sums) < COUNT) {
      const { wrong, ...batch } = await examine(subject, sums.first + repliesOf(sums), Math.min(BATCH, COUNT - repliesOf(sums)));
      expect(wrong).toEqual([]);
      sums = together(sums, batch);
      if (file !== undefined) writeFileSync(file, `${JSON.stringify({ ...soFar(), [reader]: sums }, null, 2)}\n`);
    }
    process.stdout.write(`${reader}: ${JSON.stringify(sums)}\n`);
    expect(Math.min(sums.believed, sums.refused, sums.cut)).toBeGreaterThan(COUNT / 50);
  });
});

function soFar(): SumsByReader {
  return file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as SumsByReader) : {};
}

function nothingYet(first: number): Sums {
  return { first, believed: 0, refused: 0, cut: 0, slowest: { seed: 0, medians: 0 } };
}

function repliesOf({ believed, refused }: Sums): number {
  return believed + refused;
}

function together(before: Sums, { believed, refused, cut, slowest }: Omit<Sums, "first">): Sums {
  return {
    first: before.first,
    believed: before.believed + believed,
    refused: before.refused + refused,
    cut: before.cut + cut,
    slowest: slowest.medians > before.slowest.medians ? slowest : before.slowest,
  };
}

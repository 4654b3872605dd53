import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundle, removeBundle } from "../simulation/bundle.js";
import { explained, lived, type Sums, saidWorld } from "../simulation/lived.js";

/**
 * PLUMBLINE_SIMULATION_SEED and _COUNT select the histories. _SUMS names a file with the totals so far; the run continues after its last
 * seed. _WORLD=cloud runs histories of a cloud project.
 */
const { PLUMBLINE_SIMULATION_SEED = "1", PLUMBLINE_SIMULATION_COUNT = "10000", PLUMBLINE_SIMULATION_SUMS: file } = process.env;
const BATCH = 250;

let simulation = "";
beforeAll(async () => {
  simulation = await bundle();
});
afterAll(() => removeBundle(simulation));

it(`${PLUMBLINE_SIMULATION_COUNT} more simulated histories violate no rule`, { timeout: 24 * 3_600_000 }, async () => {
  let sums = soFar();
  const end = sums.first + sums.histories + Number(PLUMBLINE_SIMULATION_COUNT);
  for (let seed = sums.first + sums.histories; seed < end; seed = sums.first + sums.histories) {
    const batch = await lived(simulation, seed, Math.min(BATCH, end - seed), saidWorld);
    const [first] = batch.broken;
    expect(first === undefined ? "" : await explained(simulation, first, saidWorld)).toBe("");
    sums = together(sums, batch.sums);
    if (file !== undefined) writeFileSync(file, `${JSON.stringify(sums)}\n`);
  }
  process.stdout.write(`${JSON.stringify(sums)}\n`);
});

function soFar(): Sums {
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Sums;
  return { first: Number(PLUMBLINE_SIMULATION_SEED), histories: 0, happened: 0, commits: 0, passes: 0, broken: 0, last: "" };
}

function together(a: Sums, b: Sums): Sums {
  const sum = (of: (sums: Sums) => number) => of(a) + of(b);
  return {
    first: a.first,
    histories: sum(({ histories }) => histories),
    happened: sum(({ happened }) => happened),
    commits: sum(({ commits }) => commits),
    passes: sum(({ passes }) => passes),
    broken: sum(({ broken }) => broken),
    last: b.last,
  };
}

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bundle, removeBundle } from "./bundle.js";
import { explained, lived } from "./lived.js";

const FIRST = 101;
const COUNT = 400;

/** Mends of faults that an attack found, and the first seed whose history is broken where one is taken back. */
const TAKEN_BACK: readonly (readonly [name: string, seed: number, rule: string])[] = [
  ["1-two-ledgers", 2, "not converging"],
  ["2-no-lease", 379, "no lock"],
  ["6-restart", 33, "not converging"],
  ["7-pause", 144, "paused"],
  ["8-late-request", 22, "left behind"],
  ["26-found-equal", 11, "foreign change lost"],
  ["27-looking", 20, "unseen"],
];

it(`simulated histories of seeds ${FIRST} to ${FIRST + COUNT - 1} lose, double and hide nothing`, async () => {
  const simulation = await bundle();
  try {
    const { broken, sums } = await lived(simulation, FIRST, COUNT);
    const [first] = broken;
    expect(first === undefined ? "" : await explained(simulation, first)).toBe("");
    expect(sums).toMatchObject({ histories: COUNT, broken: 0 });
  } finally {
    removeBundle(simulation);
  }
});

describe("with a mend taken back a history is broken", () => {
  it("for each patch of test/simulation/taken-back", () => {
    const patches = readdirSync("test/simulation/taken-back").map((file) => file.replace(/\.patch$/, ""));
    expect(TAKEN_BACK.map(([name]) => name).sort()).toEqual(patches.sort());
  });

  it.each(TAKEN_BACK)("%s, at seed %i", async (name, seed, rule) => {
    const simulation = await bundle(`test/simulation/taken-back/${name}.patch`);
    try {
      const { broken } = await lived(simulation, seed, 1);
      expect(broken.flatMap(({ violations }) => violations.map((violation) => violation.rule))).toContain(rule);
    } finally {
      removeBundle(simulation);
    }
  });
});

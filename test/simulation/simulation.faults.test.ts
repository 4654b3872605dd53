import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bundle, removeBundle } from "./bundle.js";
import { explained, lived, type SimulatedWorld } from "./lived.js";

const FIRST = 101;
const COUNT = 400;

/** Mends of faults that an attack found, and the first seed whose history is broken where one is taken back. */
const TAKEN_BACK: readonly (readonly [name: string, world: SimulatedWorld, seed: number, rule: string])[] = [
  ["1-two-ledgers", "firewall", 2, "not converging"],
  ["2-no-lease", "firewall", 379, "no lock"],
  ["2-no-lease", "cloud", 13, "twice"],
  ["3-asked-by-id", "cloud", 1, "twice"],
  ["6-restart", "firewall", 33, "not converging"],
  ["7-pause", "firewall", 144, "paused"],
  ["8-late-create", "cloud", 15, "not converging"],
  ["8-late-request", "firewall", 22, "left behind"],
  ["26-found-equal", "firewall", 11, "foreign change lost"],
  ["27-looking", "firewall", 20, "unseen"],
];

it.each(["firewall", "cloud"] as const)("simulated histories of a %s lose, double and hide nothing", async (world) => {
  const simulation = await bundle();
  try {
    const { broken, sums } = await lived(simulation, FIRST, COUNT, world);
    const [first] = broken;
    expect(first === undefined ? "" : await explained(simulation, first, world)).toBe("");
    expect(sums).toMatchObject({ histories: COUNT, broken: 0 });
  } finally {
    removeBundle(simulation);
  }
});

describe("with a mend taken back a history is broken", () => {
  it("for each patch of test/simulation/taken-back", () => {
    const patches = readdirSync("test/simulation/taken-back").map((file) => file.replace(/\.patch$/, ""));
    expect([...new Set(TAKEN_BACK.map(([name]) => name))].sort()).toEqual(patches.sort());
  });

  it.each(TAKEN_BACK)("%s, of a %s, at seed %i", async (name, world, seed, rule) => {
    const simulation = await bundle(`test/simulation/taken-back/${name}.patch`);
    try {
      const { broken } = await lived(simulation, seed, 1, world);
      expect(broken.flatMap(({ violations }) => violations.map((violation) => violation.rule))).toContain(rule);
    } finally {
      removeBundle(simulation);
    }
  });
});

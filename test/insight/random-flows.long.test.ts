import { describe, expect, it } from "vitest";
import { decider, verdictAt } from "./brute.js";
import { rowReader } from "./in-row.js";
import { between } from "./mistakes.js";
import { Dice, edited, largeWorld, randomFlow, randomPolicy } from "./worlds.js";

const soak = process.env.PLUMBLINE_SOAK !== undefined;

/** 20,000 flows that are the same in every run; in a soak a million, and 50,000 at ten thousand rules. */
const SIZES = [
  { rules: 10, flows: soak ? 400_000 : 10_000 },
  { rules: 100, flows: soak ? 400_000 : 8000 },
  { rules: 1000, flows: soak ? 200_000 : 2000 },
  ...(soak ? [{ rules: 10_000, flows: 50_000 }] : []),
];

describe("random flows", () => {
  it.each(SIZES)("stand in the row that the rules say: $flows flows of $rules rules", ({ rules, flows }) => {
    const dice = new Dice(soak ? Date.now() % 1_000_000 : rules);
    const world = largeWorld(dice, 2 * rules);
    const before = randomPolicy(world, dice, rules);
    const after = edited(world, dice, before, 12);
    const { rows, undecided } = between(before, after);
    const rowsWith = rowReader(rows, before, after);
    const changed = rows.flatMap((row) => [...row.before.rules, ...row.after.rules]);
    let differing = 0;
    const wrong: unknown[] = [...undecided];
    for (let at = 0; at < flows && wrong.length < 5; at++) {
      const kind = dice.roll(3);
      const flow = randomFlow(world, dice, kind === 0 ? undefined : dice.one(kind === 1 ? changed : after.rules));
      const [was, is] = [verdictAt(before, decider(before, flow)), verdictAt(after, decider(after, flow))];
      const found = rowsWith(flow).map((row) => `${row.before.verdict} ${row.after.verdict}`);
      if (was !== is) differing++;
      if (found.join() !== (was === is ? "" : `${was} ${is}`)) wrong.push({ flow, found, was, is });
    }
    expect(wrong).toEqual([]);
    expect(differing).toBeGreaterThan(flows / 1000);
  });
});

import { describe, expect, it } from "vitest";
import { withEdits } from "../../src/access/edit.js";
import { type Revocations, revocationsFor } from "../../src/access/revoke.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { seedOf } from "../seed.js";
import { Brute } from "../targets/panos/policy/brute.js";
import { randomOf } from "../targets/panos/policy/random.js";
import { askable, isWanted } from "./ask.js";
import { outcomes } from "./outcomes.js";
import { EVERY_FLOW, randomFacts, randomRequest, randomWorld, type Wanted } from "./worlds.js";

/** Worlds of each kind: `PLUMBLINE_ACCESS_WORLDS` sets more. */
const WORLDS = Number(process.env.PLUMBLINE_ACCESS_WORLDS ?? 60);
const TIMEOUT = 1_200_000;

function revoke(tree: TreeNode, wanted: Wanted): Revocations {
  const { place, policyOf, ...question } = askable(tree, wanted);
  return revocationsFor({
    ...question,
    place,
    after: (edits) => [policyOf(withEdits(tree, edits))],
    placeAfter: (edits) => ({ ...place, tree: withEdits(tree, edits), declared: withEdits(tree, edits) }),
  });
}

describe("random revocations in random worlds", () => {
  it.each([
    { rules: 3, unknown: 0 },
    { rules: 7, unknown: 0 },
    { rules: 6, unknown: 0.15 },
  ])(
    "close exactly the requested flows by the independent interpreter: $rules rules, unknown $unknown",
    ({ rules, unknown }) => {
      const random = randomOf(seedOf(900 + rules + unknown * 100));
      const counts = { denied: 0, narrowed: 0, rule: 0, wider: 0, none: 0 };
      for (let world = 0; world < WORLDS; world++) {
        const xml = randomWorld(random, rules, { unknown, nat: 0 });
        const tree = parseXml(xml);
        const wanted = randomRequest(random, tree, 0.2, 0.2);
        const found = revoke(tree, wanted);
        const worlds = Array.from({ length: 4 }, () => randomFacts(random));
        const shown = { world, wanted, xml, reasons: found.reasons };
        for (const facts of worlds) {
          const before = outcomes(tree, facts);
          const brute = new Brute(xml, "vsys1", facts);
          const asked = EVERY_FLOW.map((flow) => isWanted(brute, wanted, flow));
          const isOpen = before.some(({ allowed }, at) => allowed && asked[at]);
          if (found.state === "denied") expect({ ...shown, isOpen }).toEqual({ ...shown, isOpen: false });
          for (const design of found.designs) {
            const after = outcomes(withEdits(tree, design.edits), facts);
            const wrong = EVERY_FLOW.filter((_, at) => {
              const [was, is] = [before[at], after[at]];
              if (asked[at]) return is?.allowed;
              if (design.excess.length > 0) return is?.allowed && !was?.allowed;
              return was?.allowed !== is?.allowed || was?.log !== is?.log;
            });
            expect({ ...shown, steps: design.steps, wrong: wrong.slice(0, 2) }).toEqual({ ...shown, steps: design.steps, wrong: [] });
          }
        }
        const [design] = found.designs;
        if (found.state === "denied") counts.denied++;
        else if (design === undefined) counts.none++;
        else if (design.excess.length > 0) counts.wider++;
        else if (design.steps.some((step) => step.startsWith("add rule"))) counts.rule++;
        else counts.narrowed++;
      }
      expect(counts.narrowed).toBeGreaterThan(0);
      expect(counts.rule).toBeGreaterThan(0);
      // A new deny rule is always exact, so every request has a design.
      expect(counts.none).toBe(0);
    },
    TIMEOUT,
  );
});

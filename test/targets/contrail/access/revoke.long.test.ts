import { expect, it } from "vitest";
import { withEdits } from "../../../../src/access/edit.js";
import { revocationsForFlow } from "../../../../src/access/flow-designer.js";
import type { Revocations } from "../../../../src/access/revoke.js";
import type { TreeNode } from "../../../../src/core/tree/node.js";
import { contrailDesigner } from "../../../../src/targets/contrail/access/designer.js";
import { seedOf } from "../../../seed.js";
import { randomOf } from "../../panos/policy/random.js";
import { decide, type RawFabric } from "../policy/brute.js";
import { isWanted, optionsOf, packetsFor, randomFabric, randomWanted, rawOf, treeOfWorld, type Wanted } from "./worlds.js";

/** Worlds of each kind: `PLUMBLINE_ACCESS_WORLDS` sets more. */
const WORLDS = Number(process.env.PLUMBLINE_ACCESS_WORLDS ?? 25);
const TIMEOUT = 1_200_000;

function revoked(raw: RawFabric, tree: TreeNode, wanted: Wanted): Revocations {
  const options = optionsOf(raw);
  const request = contrailDesigner.request(tree, wanted, options);
  return revocationsForFlow({ designer: contrailDesigner, place: { scope: "controller", tree, declared: tree }, request, options });
}

it.each([1, 2, 3])(
  "random revocations in random controllers close exactly the requested flows, or are refused for a true reason: %i rules",
  (rules) => {
    const random = randomOf(seedOf(500 + rules));
    const counts = { denied: 0, exact: 0, wider: 0, none: 0 };
    for (let world = 0; world < WORLDS; world++) {
      const raw = randomFabric(random, rules);
      const tree = treeOfWorld(raw);
      const wanted = randomWanted(random);
      const found = revoked(raw, tree, wanted);
      const packets = packetsFor(wanted);
      const asked = packets.map((packet) => isWanted(wanted, packet));
      for (const leads of [true, false]) {
        const allows = (of: RawFabric) => packets.map((packet) => decide(of, packet, leads).verdict === "allow");
        const before = allows(raw);
        const shown = { world, wanted, leads, raw: JSON.stringify(raw) };
        if (found.state === "denied")
          expect({ ...shown, open: before.some((is, at) => is && asked[at]) }).toEqual({ ...shown, open: false });
        for (const { edits, steps, excess } of found.designs.slice(0, 6)) {
          const after = allows(rawOf(withEdits(tree, edits), raw));
          const wrong = packets.filter((_, at) => {
            if (asked[at]) return after[at];
            return excess.length > 0 ? after[at] && !before[at] : after[at] !== before[at];
          });
          expect({ ...shown, steps, wrong: wrong.slice(0, 2) }).toEqual({ ...shown, steps, wrong: [] });
        }
      }
      const [design] = found.designs;
      counts[found.state === "denied" ? "denied" : design === undefined ? "none" : design.excess.length > 0 ? "wider" : "exact"]++;
    }
    expect(counts.exact).toBeGreaterThan(WORLDS / 10);
  },
  TIMEOUT,
);

import { describe, expect, it } from "vitest";
import { idleTogether } from "../../src/access/cleanup.js";
import { withEdits } from "../../src/access/edit.js";
import { find } from "../../src/core/tree/lookup.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { cleanUpAll } from "../../src/engine/access/cleanup-pass.js";
import { rulebasesOf } from "../../src/targets/panos/policy/policies.js";
import { baseOf, decisions } from "../engine/access/managed-firewalls.js";
import { randomManager, SERIALS } from "../engine/access/random-manager.js";
import { seedOf } from "../seed.js";
import { randomOf } from "../targets/panos/policy/random.js";
import { RULES, withoutRule } from "./exhaustive.js";
import { logsIn, outcomes } from "./outcomes.js";
import { randomFacts, randomWorld } from "./worlds.js";

/** Worlds of each kind: `PLUMBLINE_ACCESS_WORLDS` sets more. */
const WORLDS = Number(process.env.PLUMBLINE_ACCESS_WORLDS ?? 60);
const TIMEOUT = 1_200_000;
const PREDEFINED = new Map(
  [
    ["ssl", 443],
    ["postgres", 8080],
  ].map(([name, port]) => [name as string, { ports: [{ protocol: 6, first: port as number, last: port as number }], parts: [] }]),
);

describe("rules that are removed together", () => {
  it.each([
    { rules: 6, unknown: 0 },
    { rules: 12, unknown: 0 },
    { rules: 8, unknown: 0.15 },
  ])(
    "change no flow by the independent interpreter, and each redundant rule that stays has an effect: $rules rules, unknown $unknown",
    ({ rules, unknown }) => {
      const random = randomOf(seedOf(500 + rules + unknown * 100));
      const counts = { shadowed: 0, redundant: 0, needed: 0, "matches-nothing": 0 };
      for (let world = 0; world < WORLDS; world++) {
        const xml = randomWorld(random, rules, { unknown, nat: 0 });
        const tree = parseXml(xml);
        const fixed = new Set((find(tree, RULES)?.children ?? []).filter(() => random() < 0.15).map(({ name }) => name));
        const [policy] = rulebasesOf([tree], { predefined: PREDEFINED })[0]?.policies() ?? [];
        if (policy === undefined) throw new Error("a virtual system has a policy");
        const found = idleTogether([policy], ({ key }) => !fixed.has(key.name));
        const after = found.idle.reduce((rest, { rule }) => withoutRule(rest, rule.key.name), tree);
        // Denied flows are logged too. Default rules log no sessions.
        const logs = logsIn(tree);
        const plain = (of: typeof tree, facts: Parameters<typeof outcomes>[1]) =>
          outcomes(of, facts).map(({ allowed, rule }) => `${allowed} ${logs.get(rule) ?? "not logged"}`);
        const worlds = Array.from({ length: unknown === 0 ? 1 : 4 }, () => randomFacts(random));
        for (const facts of worlds) expect({ xml, flows: plain(after, facts) }).toEqual({ xml, flows: plain(tree, facts) });
        for (const { kind, rule } of found.idle) {
          counts[kind]++;
          expect(fixed.has(rule.key.name)).toBe(false);
        }
        counts.needed += found.needed.length;
        const [facts] = worlds;
        if (unknown > 0 || fixed.size > 0 || facts === undefined) continue;
        for (const { key } of found.needed) {
          const without = plain(withoutRule(after, key.name), facts);
          expect({ xml, rule: key.name, flows: without }).not.toEqual({ xml, rule: key.name, flows: plain(after, facts) });
        }
      }
      expect(counts.shadowed).toBeGreaterThan(WORLDS / 10);
      expect(counts.redundant).toBeGreaterThan(0);
    },
    TIMEOUT,
  );
});

it(
  "rules of a manager that are removed change no flow of any firewall by the independent interpreter",
  async () => {
    const random = randomOf(seedOf(7700));
    const counts = { removed: 0, parents: 0, unread: 0, redundant: 0 };
    for (let world = 0; world < WORLDS * 4; world++) {
      const { tree, locals } = randomManager(random, 0.5);
      const question = { scope: undefined, unused: undefined, disable: false, deleteAfter: 30, acceptExcess: false, today: "2026-11-29" };
      const { rulebases, edits } = await cleanUpAll(baseOf(tree, undefined), question);
      const steps = rulebases.flatMap(({ scope, steps: all }) => all.map(({ rule, kind }) => ({ scope, rule, kind })));
      // Rules that were not read decide too. The product does not know them.
      const flows = (of: typeof tree) => SERIALS.map((serial) => decisions(of, serial, locals[serial]));
      expect({ world, steps, flows: flows(withEdits(tree, edits)) }).toEqual({ world, steps, flows: flows(tree) });
      counts.removed += steps.length;
      counts.parents += steps.filter(({ scope }) => scope === "device-group/all").length;
      counts.redundant += steps.filter(({ kind }) => kind === "redundant").length;
      counts.unread += rulebases.some(({ notes }) => notes.some((note) => note.startsWith("Not checked"))) ? steps.length : 0;
    }
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(WORLDS / 10);
  },
  TIMEOUT,
);

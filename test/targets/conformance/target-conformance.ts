import { describe, expect, it } from "vitest";
import type { Bench } from "./bench.js";
import { commitCases } from "./commit-cases.js";
import { lockCases } from "./lock-cases.js";
import { lossCases } from "./loss-cases.js";
import { readCases } from "./read-cases.js";
import { Scene } from "./scene.js";
import { writeCases } from "./write-cases.js";

const CASES = [...readCases, ...writeCases, ...lockCases, ...commitCases, ...lossCases];

/**
 * Requirements for any target. `without` lists the cases that do not apply to this one. Its roles and capabilities decide which these are,
 * so a missing or an extra one fails, and each is reported by name.
 */
export function targetConformance(name: string, open: () => Promise<Bench>, without: readonly string[] = []): void {
  describe(`${name}, as a target`, () => {
    for (const { name: title, absent, run } of CASES) {
      const applies = !without.includes(title);
      it(applies ? title : `has nothing to show for "${title}", as its roles say`, async () => {
        const bench = await open();
        try {
          const scene = await Scene.on(bench);
          const why = absent(scene) || undefined;
          expect(why === undefined ? "applies" : `does not apply: ${why}`).toMatch(applies ? /^applies$/ : /^does not apply: /);
          if (applies) await run(scene);
          await scene.target.close();
        } finally {
          await bench.close();
        }
      });
    }
    it("is covered by existing cases", () => {
      const titles = CASES.map((each) => each.name);
      expect(without.filter((title) => !titles.includes(title))).toEqual([]);
      expect(new Set(titles).size).toBe(titles.length);
    });
  });
}

import { expect, it } from "vitest";
import { formatRow } from "../../../src/reachability/changes/format-row.js";
import { compile } from "../../../src/reachability/flows/compile.js";
import { differenceOf } from "../../../src/reachability/flows/difference.js";
import { AmbiguousNames } from "../../../src/reachability/format/ambiguous-names.js";
import { named, of, policyOf, range, ruleOf, unknown } from "../flows/worlds.js";

const many = Array.from({ length: 60 }, (_, at) =>
  ruleOf(`rule-${at}`, at % 3 === 0 ? "deny" : "allow", {
    source: of(named(`from-${at}`, [range(BigInt(7 * at), BigInt(7 * at + 40))])),
    destination: of(named(`to-${at}`, [range(BigInt(11 * at), BigInt(11 * at + 60))])),
  }),
);

it("a row with exceptions mentions that flows may depend on more conditions", () => {
  const hours = { subject: "circumstance", unknown: unknown("schedule", "hours"), holds: true } as const;
  const closed = ruleOf("closed", "deny", { conditions: [[hours]] });
  const model = compile([[closed], [closed, ruleOf("open", "allow")]].map((first) => policyOf(["in", "out"], [...first, ...many])));
  const [before, after] = model.policies;
  if (before === undefined || after === undefined) throw new Error("two policies make two");
  const [row] = differenceOf(model, before, after, { mostParts: 10 }).rows;
  if (row === undefined) throw new Error("nothing differs");
  const { conditions, except } = formatRow(row, model, new AmbiguousNames([]));
  expect(except).toContain("all but what");
  expect(conditions).toEqual([expect.stringContaining("hours"), "something else holds, which was not looked for"]);
});

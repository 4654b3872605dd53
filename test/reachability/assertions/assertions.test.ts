import { expect, it } from "vitest";
import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { type AssertionSource, judgeAssertions } from "../../../src/reachability/assertions/assertions.js";
import { notWorkedOut, workHere } from "../../../src/reachability/changes/analysis.js";
import { ANY_FLOW, type Policy } from "../../../src/reachability/flows/policy.js";
import type { PolicyRole, Rulebase } from "../../../src/reachability/policy-role.js";

const ZONES = { type: "universal", from: ["in"], to: ["out"] } as const;
const tree = new TreeNode("config");
const policy: Policy = { scope: "branch", zones: ["in", "out"], otherZones: false, rules: [], otherwise: "deny", limits: [] };
const words = { from: ["in"], to: ["out"], source: [], destination: [], service: [], application: [] };
const assertion = { name: "closed", verdict: "deny", some: false, strict: false, flows: words, except: [], place: Path.root, origin: -1 };

function managing(...policies: readonly Rulebase["policies"][]): AssertionSource {
  const rulebases = policies.map(
    (each, at): Rulebase => ({
      scope: "branch",
      within: ["branch"],
      firewalls: [{ serial: `00${at}` }],
      isSame: false,
      isThere: [true, true],
      size: 1,
      policies: each,
      flows: () => ({ zones: ZONES, ...ANY_FLOW }),
    }),
  );
  const role = { scopeAt: () => undefined, borrowed: [], load: async () => ({ rulebases: () => rulebases }) } as unknown as PolicyRole;
  const desired = { target: "manager", root: tree, assertions: [assertion], sources: { locate: () => undefined } };
  return { role, desired, configuration: {} } as unknown as AssertionSource;
}

const versions = { before: tree, after: new TreeNode("config") };

it("reports a firewall whose policy cannot be computed as unknown, next to the others", async () => {
  const broken = (): never => {
    throw new Error("a group names itself");
  };
  const judged = await judgeAssertions(
    managing(() => [policy, policy], broken),
    versions,
  );
  expect(judged).toMatchObject([
    { state: "unknown", firewalls: [{ serial: "001" }], others: 1, why: ["It could not be judged: a group names itself"] },
  ]);
});

it("reports no firewall without an analysis, because a broken one may be among them", async () => {
  const work = { ...workHere, judge: () => Promise.reject(notWorkedOut("it takes longer than 1 s")) };
  const source = managing(() => [policy, policy]);
  await expect(judgeAssertions({ ...source, work }, versions)).rejects.toMatchObject({ code: "insight-not-worked-out" });
  expect(await judgeAssertions(source, versions)).toMatchObject([{ state: "holds", before: "holds" }]);
});

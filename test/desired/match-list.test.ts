import { describe, expect, it } from "vitest";
import { planTargets, reconcileTargets } from "../../src/engine/reconcile.js";
import { Cloudlet, TwoTargets } from "../engine/pass/cloudlet.js";
import { passOptions } from "../pass-options.js";

const NETWORK = "target: cloud\nscope: project\nconfig: { networks: { web: { cidr: 10.0.0.0/24 } } }\n";
const rule = (source: string) =>
  `target: edge\nscope: shared\nconfig:\n  rulebase:\n    security:\n      rules:\n        - { name: r, from: [any], to: [any], source: ${source}, destination: [any], application: [any], service: [any], action: allow }\n`;
const forEach = (more = "") => `{ $forEach: { in: cloud, select: servers/entry, name: "srv-\${name}", allowEmpty: true${more} } }`;
const two = (source: string, cloud?: Cloudlet) =>
  new TwoTargets(cloud).file("documents/cloud.yaml", NETWORK).file("documents/edge.yaml", rule(source));

describe("a match list whose $forEach selects nothing", () => {
  it("is an error, never an empty list, which would mean any", async () => {
    const world = two(`[${forEach()}, ${forEach()}]`);
    await expect(
      reconcileTargets(passOptions({ acceptKnownAfterApply: false }, world.options), world.write, world.targets),
    ).resolves.toMatchObject([{}, { target: "edge", error: { code: "empty-list", where: { file: "documents/edge.yaml", line: 7 } } }]);
    expect(world.edge).not.toContain("rulebase");
  });

  it("stops only its own target, also if it selects live objects", async () => {
    const world = two(`[${forEach(", from: live")}]`);
    const [cloud, edge] = await reconcileTargets(world.options, world.write, world.targets);
    expect(cloud?.error).toBeUndefined();
    expect(edge?.error).toMatchObject({ code: "empty-list" });
    expect(world.cloud.xml).toContain('name="web"');
    expect(world.edge).not.toContain("rulebase");
  });

  it("is valid with another member, or if something is selected", async () => {
    for (const world of [
      two(`[fixed, ${forEach()}]`),
      two(
        `[${forEach(", from: live")}]`,
        new Cloudlet("<cloud><networks/><servers><entry name='a'><address>10.0.0.1</address></entry></servers><groups/></cloud>"),
      ),
    ]) {
      const [, edge] = await planTargets(world.options, world.targets);
      expect(edge?.error).toBeUndefined();
      expect(edge?.plan?.operations.length).toBeGreaterThan(0);
    }
  });
});

import { describe, expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { ControllerWorld } from "./world.js";

const BLUE = "default-domain:demo:blue";
const IPAM = "default-domain:default-project:default-network-ipam";

const FIRST = `
network-policys: { "default-domain:demo:old": {} }
virtual-networks:
  ${BLUE}:
    network_ipam_refs: { ${IPAM}: { ipam_subnets: { 10.1.0.0/24: {}, 10.2.0.0/24: {} } } }
    network_policy_refs: { default-domain:demo:old: {} }
  default-domain:demo:gone: {}`;

const THEN = `
network-policys: { "default-domain:demo:new": {} }
virtual-networks:
  ${BLUE}:
    router_external: true
    network_ipam_refs: { ${IPAM}: { ipam_subnets: { 10.1.0.0/24: { enable_dhcp: false }, 10.3.0.0/24: {} } } }
    network_policy_refs: { default-domain:demo:new: {} }
  default-domain:demo:green: {}`;

/** The requests of an undisturbed run from the last one before its first write on, by their place in it. */
async function undisturbed(): Promise<{ readonly requests: readonly number[]; readonly standing: unknown }> {
  const world = await ControllerWorld.start();
  await world.reconciled(FIRST);
  const since = world.lab.journal.length;
  await world.reconciled(THEN);
  const run = world.lab.journal.slice(since);
  const first = run.findIndex(({ method }) => method !== "GET");
  return { requests: run.map((_, index) => index + 1).slice(Math.max(0, first - 1)), standing: standing(world) };
}

/** All configuration of the controller that a document can declare. */
function standing(world: ControllerWorld): unknown {
  return ["virtual-network", "network-policy"].map((type) =>
    [...world.lab.world.store.ofType(type)]
      .map(({ fqName, properties, references }) => ({
        name: fqName.join(":"),
        external: properties.router_external,
        references: [...references].map(([field, list]) => [
          field,
          list.map(({ attr }) => JSON.stringify(attr).replaceAll(/"subnet_uuid":"[^"]*"/g, "")),
        ]),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
}

describe("a run that is interrupted at any request", () => {
  it.each([
    ["before it acts", "drop", false],
    ["after it acted, on a machine that knows nothing of it", "drop-reply", true],
  ] as const)(
    "%s: the next run ends where an undisturbed one does, with one object a name",
    async (_, kind, elsewhere) => {
      const { requests, standing: wanted } = await undisturbed();
      for (const nth of requests) {
        const world = await ControllerWorld.start();
        await world.reconciled(FIRST);
        const kept = subnetId(world);
        world.want(THEN);
        world.lab.fault({ match: { nth }, effect: { kind } });
        for (let later = nth + 1; later < nth + 50; later++) world.lab.fault({ match: { nth: later }, effect: { kind: "drop" } });
        await world.reconcile();
        world.lab.clearFaults();
        if (elsewhere) world.forgetState();
        const next = await world.reconcile();
        expect(next.error, `request ${nth}`).toBeUndefined();
        expect(exitCode([next]), `request ${nth}`).toBe(0);
        expect(standing(world), `request ${nth}`).toEqual(wanted);
        expect(subnetId(world), `request ${nth}`).toBe(kept);
      }
    },
    60_000,
  );
});

/** The id of the subnet that both documents have. */
function subnetId(world: ControllerWorld): string | undefined {
  const attr = world.object("virtual-network", BLUE)?.references.get("network_ipam_refs")?.[0]?.attr;
  return /"ip_prefix":"10\.1\.0\.0"[^}]*\}[^}]*"subnet_uuid":"([^"]*)"/.exec(JSON.stringify(attr))?.[1];
}

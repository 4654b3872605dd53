import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { CloudWorld } from "./cloud-world.js";

const rules = (...rows: string[]) =>
  `security_groups: { web: { rules: [${rows.map((row) => `{ direction: ingress, ${row} }`).join(", ")}] } }`;
const changed = (outcome: TargetOutcome) => (outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path.name ?? path.tag}`);

function makeGroup(world: CloudWorld, name: string, ...addresses: string[]): string {
  const { body } = world.act("POST", "/v2.0/address-groups", { address_group: { name, addresses } });
  return (body as { address_group: { id: string } }).address_group.id;
}

const remotes = ({ lab }: CloudWorld): (string | null)[] =>
  lab.world.network
    .all("security_group_rule")
    .filter(
      ({ direction, security_group_id }) =>
        direction === "ingress" && lab.world.network.store.get("security_group", security_group_id).name === "web",
    )
    .map(({ remote_address_group_id }) => remote_address_group_id);

describe("a rule for an address group", () => {
  it("uses its name or its id, and is unchanged while valid", async () => {
    const world = await CloudWorld.start();
    const [office, home] = [makeGroup(world, "office", "10.0.0.0/24"), makeGroup(world, "home", "10.1.0.0/24")];
    world.want(rules("remote_address_group: office", `remote_address_group_id: ${home}`));
    await world.reconciled();
    expect(remotes(world)).toEqual([office, home]);
    expect(changed(await world.plan())).toEqual([]);
    const since = world.lab.journal.length;
    world.want(rules("remote_address_group: home", "remote_address_group: office"));
    expect(changed(await world.reconciled())).toEqual([]);
    expect(world.writesSince(since)).toEqual([]);
    world.want(rules("remote_address_group: home"));
    await world.reconciled();
    expect(remotes(world)).toEqual([home]);
  });

  it("is healed: an added one for another group is deleted, a deleted one is created again", async () => {
    const world = await CloudWorld.start();
    const [office, home] = [makeGroup(world, "office", "10.0.0.0/24"), makeGroup(world, "home", "10.1.0.0/24")];
    world.want(rules("remote_address_group: office"));
    await world.reconciled();
    const { id, security_group_id } =
      world.lab.world.network.all("security_group_rule").find((rule) => rule.remote_address_group_id === office) ?? {};
    world.act("DELETE", `/v2.0/security-group-rules/${id}`);
    world.act("POST", "/v2.0/security-group-rules", {
      security_group_rule: { security_group_id, direction: "ingress", remote_address_group_id: home },
    });
    expect(changed(await world.plan())).toEqual(["missing ingress IPv4 * * * * * office", "extra ingress IPv4 * * * * * home"]);
    await world.reconciled();
    expect(remotes(world)).toEqual([office]);
  });

  it("that does not exist, or has an ambiguous name, is reported", async () => {
    const world = (await CloudWorld.start()).want(rules("remote_address_group: nowhere"));
    const unknown = await world.reconcile();
    expect(unknown.error?.message).toContain('there is no address group called "nowhere"');
    const [one] = [makeGroup(world, "nowhere"), makeGroup(world, "nowhere")];
    expect((await world.reconcile()).error).toBeDefined();
    world.want(rules(`remote_address_group: nowhere~${one.slice(0, 8)}`));
    await world.reconciled();
    expect(remotes(world)).toEqual([one]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it("costs a request only if one is referenced, and an old service without the list has none", async () => {
    const world = (await CloudWorld.start()).want(rules("protocol: tcp"));
    await world.reconciled();
    expect(world.lab.journal.filter(({ path }) => path.includes("address-groups"))).toEqual([]);
    const refusal = { kind: "refuse" as const, status: 404, type: "HTTPNotFound", message: "The resource could not be found." };
    world.lab.fault({ match: { path: "/address-groups" }, effect: refusal, count: 100 });
    world.want(rules("remote_address_group: office"));
    const outcome = await world.reconcile();
    expect(exitCode([outcome])).not.toBe(0);
    expect(outcome.error?.message).toContain("there is no address group");
  });
});

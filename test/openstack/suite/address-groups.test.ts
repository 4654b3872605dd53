import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { document, Repository } from "../harness/repository.js";

const rules = (...rows: string[]) =>
  document(`security_groups: { web: { rules: [${rows.map((row) => `{ direction: ingress, ${row} }`).join(", ")}] } }`);

onEachCloud("a rule for an address group", (open) => {
  it("references it by its name, is unchanged while valid, healed and removed", async () => {
    const rig = await open();
    const make = async (name: string, cidr: string): Promise<string> => {
      const body = { address_group: { name, addresses: [cidr] } };
      return (await rig.user.demand("network", "POST", "/v2.0/address-groups", body)).address_group.id;
    };
    const [office, home] = [await make("office", "192.0.2.0/24"), await make("home", "198.51.100.0/24")];
    const remotes = async () => {
      const web = await rig.user.named("network", "/v2.0/security-groups", "security_groups", "web");
      return web.security_group_rules
        .flatMap((rule: { remote_address_group_id: string | null }) => rule.remote_address_group_id ?? [])
        .sort();
    };
    const repository = Repository.create(rig, {
      "cloud/main.yaml": rules("remote_address_group: office", `remote_address_group_id: ${home}`),
    });
    const reconciled = async (): Promise<void> => {
      const done = await repository.plumbline("reconcile");
      expect(done, done.err + done.out).toMatchObject({ code: 0 });
      const plan = await repository.plumbline("plan");
      expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
    };
    await reconciled();
    expect(await remotes()).toEqual([office, home].sort());

    const web = await rig.user.named("network", "/v2.0/security-groups", "security_groups", "web");
    const rule = web.security_group_rules.find((each: { remote_address_group_id: string }) => each.remote_address_group_id === office);
    await rig.user.demand("network", "DELETE", `/v2.0/security-group-rules/${rule.id}`);
    const drift = await repository.plumbline("drift");
    expect(drift, drift.err + drift.out).toMatchObject({ code: 2, out: expect.stringContaining("office") });
    await reconciled();
    expect(await remotes()).toEqual([office, home].sort());

    repository.write({ "cloud/main.yaml": rules("remote_address_group: home") });
    await reconciled();
    expect(await remotes()).toEqual([home]);
    expect((await rig.user.request("network", "DELETE", `/v2.0/address-groups/${office}`)).status).toBe(204);
    expect((await rig.user.request("network", "DELETE", `/v2.0/address-groups/${home}`)).status).toBe(409);
  });
});

import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { networkNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const LISTS = ["networks", "subnetpools", "security_groups"];
const shared = (said: string): string => `networks: { web: { ${said}subnets: { web-a: { cidr: 192.0.2.0/24 } } } }
subnetpools: { inner: { prefixes: [10.6.0.0/24], ${said}} }
security_groups: { web: { ${said}} }
`;

onEachCloud("shares", (open) => {
  it("are created, healed, kept while in use, changed and removed", async () => {
    const rig = await open();
    const { user, admin } = rig;
    const target = await admin.projectId();
    const policies = async () => {
      const found = await user.list("network", "/v2.0/rbac-policies", "rbac_policies");
      return found.map(({ object_type, target_tenant }) => `${object_type} ${target_tenant === target}`).sort();
    };
    const ALL = ["network true", "security_group true", "subnetpool true"];
    const repository = Repository.create(rig, { "cloud/main.yaml": document(shared(`shared_with: [${target}], `)) });
    const reconciled = async (...words: string[]): Promise<void> => {
      const done = await repository.plumbline("reconcile", ...words);
      expect(done, done.err + done.out).toMatchObject({ code: 0 });
      const plan = await repository.plumbline("plan");
      expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
    };
    await reconciled();
    expect(await policies()).toEqual(ALL);
    const { id } = await networkNamed(user, "web");
    expect((await admin.demand("network", "GET", `/v2.0/networks/${id}`)).network.shared).toBe(true);

    const [first] = await user.list("network", `/v2.0/rbac-policies?object_type=security_group`, "rbac_policies");
    await user.demand("network", "DELETE", `/v2.0/rbac-policies/${first.id}`);
    const theirs = { object_type: "network", object_id: id, action: "access_as_shared", target_tenant: "7a0f1d11111141118111111111111111" };
    await user.demand("network", "POST", "/v2.0/rbac-policies", { rbac_policy: theirs });
    const drift = await repository.plumbline("drift");
    expect(drift, drift.err + drift.out).toMatchObject({ code: 2, out: expect.stringContaining("7a0f1d11") });
    await reconciled();
    expect(await policies()).toEqual(ALL);

    const { port } = await admin.demand("network", "POST", "/v2.0/ports", { port: { network_id: id } });
    repository.declare(shared(`description: d, shared_with: { $exclude: [${target}] }, `));
    const used = await repository.plumbline("reconcile");
    expect(used.code, used.err + used.out).toBe(4);
    expect(used.err + used.out).toContain("cannot be removed because other objects depend on it");
    expect(await policies()).toEqual(["network true"]);
    await admin.demand("network", "DELETE", `/v2.0/ports/${port.id}`);
    await reconciled();
    expect(await policies()).toEqual([]);
    for (const list of LISTS) {
      const [own] = (await user.list("network", `/v2.0/${list.replace("_", "-")}`, list)).filter(({ description }) => description === "d");
      expect(own, list).toMatchObject({ description: "d" });
    }
  });
});

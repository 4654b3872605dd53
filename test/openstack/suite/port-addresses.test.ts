import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";

const port = (fields: string) =>
  `networks: { web: { subnets: { web-a: { cidr: 192.0.2.0/24 } } } }\nports: { vip: { network: web, ${fields} } }`;
const FIRST = `fixed_ips: [{ subnet: web-a, ip_address: 192.0.2.30 }, { subnet: web-a, ip_address: 192.0.2.9 }, { subnet: web-a }]`;
const PAIRS = `allowed_address_pairs: [{ ip_address: 192.0.2.99 }, { ip_address: 192.0.2.99, mac_address: "00:11:22:33:44:55" }]`;

const vip = ({ user }: Rig) => user.named("network", "/v2.0/ports", "ports", "vip");
const addresses = async (rig: Rig): Promise<string[]> => (await vip(rig)).fixed_ips.map((each: { ip_address: string }) => each.ip_address);

async function reconciled(repository: Repository): Promise<void> {
  const done = await repository.plumbline("reconcile");
  expect(done, done.err + done.out).toMatchObject({ code: 0 });
  const plan = await repository.plumbline("plan");
  expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
}

onEachCloud("a port with several addresses and with address pairs", (open) => {
  it("is created, unchanged while valid, changed by one write, healed, and stays the same port", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(port(`${FIRST}, ${PAIRS}`)) });
    await reconciled(repository);
    const made = await vip(rig);
    expect(await addresses(rig)).toEqual(expect.arrayContaining(["192.0.2.9", "192.0.2.30"]));
    expect(made.fixed_ips).toHaveLength(3);
    const before = await addresses(rig);
    expect(made.allowed_address_pairs.map((pair: { mac_address: string }) => pair.mac_address).sort()).toEqual(
      ["00:11:22:33:44:55", made.mac_address].sort(),
    );

    repository.declare(
      port(
        `fixed_ips: [{ subnet: web-a }, { subnet: web-a, ip_address: 192.0.2.31 }, { subnet: web-a, ip_address: 192.0.2.9 }], allowed_address_pairs: [{ ip_address: 198.51.100.0/24 }]`,
      ),
    );
    await reconciled(repository);
    const [kept, ...more] = (await addresses(rig)).filter((each) => each !== "192.0.2.31" && each !== "192.0.2.9");
    expect([before.includes(kept ?? ""), more]).toEqual([true, []]);
    expect(await vip(rig)).toMatchObject({
      id: made.id,
      allowed_address_pairs: [{ ip_address: "198.51.100.0/24", mac_address: made.mac_address }],
    });

    const meddled = { fixed_ips: [{ ip_address: "192.0.2.9" }, { ip_address: "192.0.2.77" }], allowed_address_pairs: [] };
    await rig.user.demand("network", "PUT", `/v2.0/ports/${made.id}`, { port: meddled });
    const drift = await repository.plumbline("drift");
    expect(drift, drift.err + drift.out).toMatchObject({ code: 2, out: expect.stringContaining("198.51.100.0/24") });
    await reconciled(repository);
    expect(await addresses(rig)).toEqual(expect.arrayContaining(["192.0.2.9", "192.0.2.31"]));
    expect((await vip(rig)).allowed_address_pairs).toHaveLength(1);
  });

  it("is refused pairs without port security, and an address that another port has; a second run converges", async () => {
    const rig = await open();
    const wrong = port(`port_security_enabled: false, ${PAIRS}`);
    const repository = Repository.create(rig, { "cloud/main.yaml": document(wrong) });
    const refused = await repository.plumbline("reconcile");
    expect(refused.code, refused.err + refused.out).toBe(4);
    expect(refused.err + refused.out).toContain("Port Security must be enabled");
    const [{ id: network_id }] = await rig.user.list("network", "/v2.0/networks?name=web", "networks");
    const theirs = { network_id, name: "theirs", fixed_ips: [{ ip_address: "192.0.2.9" }] };
    await rig.user.demand("network", "POST", "/v2.0/ports", { port: theirs });
    repository.declare(port(FIRST));
    const taken = await repository.plumbline("reconcile");
    expect(taken.code, taken.err + taken.out).toBe(1);
    expect(taken.err + taken.out).toContain("192.0.2.9");
    await rig.somebody.deletePort("theirs");
    await reconciled(repository);
    expect(await addresses(rig)).toHaveLength(3);
  });
});

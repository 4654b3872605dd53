import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { Repository } from "../harness/repository.js";
import type { Session } from "../harness/session.js";

const DNS = "{ direction: egress, protocol: udp, port_range_min: 53, port_range_max: 53, remote_ip_prefix: 10.0.0.53/32 }";

/** The same five rules in two spellings. Neutron stores the first four in a third one. */
const SPELLINGS = [
  `{ direction: ingress, protocol: tcp, port_range_min: 1, port_range_max: 65535 }
    - { direction: ingress, ethertype: IPv6, protocol: icmp }
    - { direction: egress, remote_ip_prefix: 0.0.0.0/0 }
    - { direction: egress, ethertype: IPv6, remote_ip_prefix: "::/0" }
    - { direction: ingress, protocol: udp, remote_ip_prefix: 10.0.0.5/24 }`,
  `{ direction: ingress, protocol: "6", remote_ip_prefix: 0.0.0.0/0 }
    - { direction: ingress, ethertype: IPv6, protocol: "58", remote_ip_prefix: "0::/0" }
    - { direction: egress }
    - { direction: egress, ethertype: IPv6 }
    - { direction: ingress, protocol: 17, remote_ip_prefix: 10.0.0.5/24 }`,
];

const declared = (rules: string, owns = "") =>
  `target: cloud\nscope: project\n${owns}config:\n  security_groups:\n   web:\n    rules:\n    - ${rules}\n`;

async function rulesOf(user: Session): Promise<readonly string[]> {
  const group = await user.named("network", "/v2.0/security-groups", "security_groups", "web");
  const rules = await user.list("network", `/v2.0/security-group-rules?security_group_id=${group.id}`, "security_group_rules");
  return rules.map(({ id, direction }) => `${direction} ${id}`).sort();
}

async function inSync(repository: Repository): Promise<void> {
  const plan = await repository.plumbline("plan");
  expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
}

onEachCloud("security group rules", (open) => {
  it("converge in one run, are the same rules in another spelling, and two spellings of one rule are an error", async () => {
    const rig = await open();
    const [first = "", second = ""] = SPELLINGS;
    const repository = Repository.create(rig, { "cloud/main.yaml": declared(first) });
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    await inSync(repository);
    const rules = await rulesOf(rig.user);
    expect(rules).toHaveLength(5);
    repository.write({ "cloud/main.yaml": declared(second) });
    await inSync(repository);
    const again = await repository.plumbline("reconcile");
    expect(again, again.err + again.out).toMatchObject({ code: 0 });
    expect(await rulesOf(rig.user)).toEqual(rules);
    const twice = "{ direction: ingress, protocol: tcp }\n    - { direction: ingress, protocol: 6 }";
    repository.write({ "cloud/main.yaml": declared(twice) });
    const refused = await repository.plumbline("validate");
    expect(refused.code, refused.out).toBe(1);
    expect(refused.err + refused.out).toContain("The list has two equal entries: ingress IPv4 tcp");
  });

  it("limit egress if their list is exclusive: the default rules are deleted, and deleted again when they are back", async () => {
    const rig = await open();
    const owns = "owns: { \"security_groups/entry[@name='web']/rules\": exclusive }\n";
    const repository = Repository.create(rig, { "cloud/main.yaml": declared(DNS, owns) });
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    await inSync(repository);
    const rules = await rulesOf(rig.user);
    expect(rules.map((rule) => rule.split(" ")[0])).toEqual(["egress"]);
    const { id } = await rig.user.named("network", "/v2.0/security-groups", "security_groups", "web");
    const anywhere = { security_group_id: id, direction: "egress", ethertype: "IPv4" };
    await rig.user.demand("network", "POST", "/v2.0/security-group-rules", { security_group_rule: anywhere });
    expect(await repository.plumbline("drift")).toMatchObject({ code: 2 });
    const healed = await repository.plumbline("reconcile");
    expect(healed, healed.err + healed.out).toMatchObject({ code: 0 });
    expect(await rulesOf(rig.user)).toEqual(rules);
  });
});

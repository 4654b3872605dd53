import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { openstackGuards } from "../../../src/targets/openstack/guards.js";
import { CloudWorld } from "./cloud-world.js";

const GROUP = parsePath("/openstack/security_groups/entry[@name='web']");
const tree = (xml: string) => parseXml(Buffer.from(xml));
const group = (...rules: string[]) => {
  const entries = rules.map((rule, index) => `<entry name="${index}">${rule}</entry>`);
  return tree(`<entry name="web"><rules>${entries.join("")}</rules></entry>`);
};
const OPEN =
  "<direction>ingress</direction><protocol>tcp</protocol><port_range_min>22</port_range_min><port_range_max>22</port_range_max><remote_ip_prefix>0.0.0.0/0</remote_ip_prefix>";
const NARROW = OPEN.replace("0.0.0.0/0", "10.0.0.0/8");

describe("an address pair for everyone", () => {
  const port = (ip: string) =>
    tree(`<entry name="p"><allowed_address_pairs><entry name="x"><ip_address>${ip}</ip_address></entry></allowed_address_pairs></entry>`);
  const meaning = (live: string, desired: string) =>
    openstackGuards.meaning(parsePath("/openstack/ports/entry[@name='p']"), port(live), port(desired) as never);

  it("is reported, and one for a network is not", () => {
    expect(meaning("10.0.0.9", "0.0.0.0/0")).toBe('Port "p" may send as everybody: 0.0.0.0/0.');
    expect(meaning("0.0.0.0/0", "0.0.0.0/0")).toBeUndefined();
    expect(meaning("10.0.0.9", "10.0.0.0/8")).toBeUndefined();
  });
});

describe("a rule that allows everyone", () => {
  const meaning = (live: string[] | undefined, desired: string[]) =>
    openstackGuards.meaning(GROUP, live === undefined ? undefined : group(...live), group(...desired) as never);

  it.each([
    ["in a new group", undefined, [OPEN], "tcp 22 from 0.0.0.0/0"],
    ["in place of a narrow one", [NARROW], [OPEN], "tcp 22 from 0.0.0.0/0"],
    ["by IPv6", undefined, [OPEN.replace("0.0.0.0/0", "::/0")], "tcp 22 from ::/0"],
    ["without a remote side", undefined, ["<direction>ingress</direction>"], "any protocol from anywhere"],
  ])("is told: %s", (_, live, desired, words) => {
    expect(meaning(live, desired)).toBe(`Security group "web" allows access from any address: ${words}.`);
  });

  it.each([
    ["was there before", [OPEN], [OPEN]],
    ["is narrow", undefined, [NARROW]],
    ["goes out", undefined, [OPEN.replace("ingress", "egress")]],
    ["names a group", undefined, ["<direction>ingress</direction><remote_group>web</remote_group>"]],
  ])("is not, where it %s", (_, live, desired) => expect(meaning(live, desired)).toBeUndefined());

  it("waits for approval if required, and is shown in the plan", async () => {
    const world = await CloudWorld.start();
    world.want(
      "security_groups: { web: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: 0.0.0.0/0 }] } }",
    );
    const outcome = await world.plan();
    expect(outcome.plan?.meaning.map(({ message }) => message)).toEqual([
      'Security group "web" allows access from any address: tcp 22 from anywhere.',
    ]);
    expect(exitCode([outcome])).toBe(2);
  });
});

describe("the default security group", () => {
  it("is never pruned", () => {
    expect(openstackGuards.neverPruned(parsePath("/openstack/security_groups/entry[@name='default']"))).toBe(true);
    expect(openstackGuards.neverPruned(GROUP)).toBe(false);
  });
});

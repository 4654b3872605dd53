import { describe, expect, it } from "vitest";
import { lab, login } from "../support.js";

async function withGroup() {
  const { lab: cloud } = await lab();
  const demo = await login(cloud);
  const { security_group: group } = (await demo.network("POST", "/security-groups", { security_group: { name: "g" } })).json;
  const make = (rule: object) =>
    demo.network("POST", "/security-group-rules", {
      security_group_rule: { security_group_id: group.id, direction: "ingress", ...rule },
    });
  return { demo, group, make };
}

const IPV6 = { ethertype: "IPv6" };
const PORTS = { port_range_min: 1, port_range_max: 65_535 };

describe("security group rules are stored as Neutron stores them", () => {
  const stored: [object, object][] = [
    [
      { protocol: "tcp", ...PORTS },
      { protocol: "tcp", port_range_min: null, port_range_max: null },
    ],
    [
      { protocol: "17", ...PORTS },
      { protocol: "17", port_range_min: null, port_range_max: null },
    ],
    ...["sctp", "icmp", "gre", undefined].map((protocol): [object, object] => [
      { protocol, ...PORTS },
      { protocol: protocol ?? null, port_range_min: null, port_range_max: null },
    ]),
    [{ protocol: 6 }, { protocol: "6" }],
    [{ protocol: "TCP" }, { protocol: "tcp" }],
    [{ ...IPV6, protocol: "icmp" }, { protocol: "ipv6-icmp" }],
    [{ ...IPV6, protocol: "icmpv6" }, { protocol: "ipv6-icmp" }],
    [{ ...IPV6, protocol: "1" }, { protocol: "58" }],
    [{ remote_ip_prefix: "0.0.0.0/0" }, { remote_ip_prefix: "0.0.0.0/0", normalized_cidr: "0.0.0.0/0" }],
    [{ remote_ip_prefix: "10.0.0.5" }, { remote_ip_prefix: "10.0.0.5/32" }],
    [{ remote_ip_prefix: "10.0.1/24" }, { remote_ip_prefix: "10.0.1.0/24" }],
    [{ remote_ip_prefix: "" }, { remote_ip_prefix: null }],
    [{ remote_ip_prefix: "10.0.0.5/24" }, { remote_ip_prefix: "10.0.0.5/24", normalized_cidr: "10.0.0.0/24" }],
    [
      { ...IPV6, remote_ip_prefix: "FD00:0::1/64" },
      { remote_ip_prefix: "fd00::1/64", normalized_cidr: "fd00::/64" },
    ],
  ];
  it.each(stored)("%j", async (sent, expected) => {
    const { make } = await withGroup();
    expect((await make(sent)).json.security_group_rule).toMatchObject(expected);
  });
});

describe("security group rules that are equal to Neutron", () => {
  const equal: [object, object][] = [
    [{ protocol: "tcp" }, { protocol: "6" }],
    [{ protocol: "tcp" }, { protocol: "tcp", ...PORTS }],
    [{ protocol: "1" }, { protocol: "icmp" }],
    [{ protocol: "0" }, { protocol: "ip" }],
    [
      { ...IPV6, protocol: "58" },
      { ...IPV6, protocol: "icmp" },
    ],
    [
      { ...IPV6, protocol: "1" },
      { ...IPV6, protocol: "icmpv6" },
    ],
    [{}, { remote_ip_prefix: "0.0.0.0/0" }],
    [IPV6, { ...IPV6, remote_ip_prefix: "::/0" }],
    [{ direction: "egress" }, { direction: "egress" }],
    [{ direction: "egress" }, { direction: "egress", remote_ip_prefix: "0.0.0.0/0" }],
    [{ remote_ip_prefix: "10.0.0.5" }, { remote_ip_prefix: "10.0.0.5/32" }],
  ];
  it.each(equal)("%j and %j", async (first, second) => {
    const { demo, group, make } = await withGroup();
    await make(first);
    const { status, json } = await make(second);
    expect(status).toBe(409);
    expect(json.NeutronError.type).toBe("SecurityGroupRuleExists");
    const together = [first, second].map((rule) => ({ security_group_id: group.id, direction: "ingress", ...rule }));
    const bulk = await demo.network("POST", "/security-group-rules", { security_group_rules: together });
    expect([bulk.status, bulk.json.NeutronError.type]).toEqual([409, "DuplicateSecurityGroupRuleInPost"]);
  });

  it("are not those with other host bits or another protocol", async () => {
    const { make } = await withGroup();
    for (const rule of [
      { remote_ip_prefix: "10.0.0.0/24" },
      { remote_ip_prefix: "10.0.0.5/24" },
      { protocol: "sctp" },
      { protocol: "hopopt" },
      { protocol: "ip" },
      { protocol: "icmp" },
      { ...IPV6, protocol: "icmp" },
    ])
      expect((await make(rule)).status).toBe(201);
  });
});

describe("security group rules that Neutron refuses", () => {
  const refused: [object, string][] = [
    [{ protocol: "tcp", port_range_min: 0, port_range_max: 5 }, "SecurityGroupInvalidPortValue"],
    [{ protocol: "tcp", port_range_min: -1, port_range_max: 5 }, "SecurityGroupInvalidPortValue"],
    [{ protocol: "tcp", port_range_min: 1, port_range_max: 65_536 }, "SecurityGroupInvalidPortValue"],
    [{ protocol: "tcp", port_range_min: 1 }, "SecurityGroupInvalidPortRange"],
    [{ protocol: "icmp", port_range_min: 256 }, "SecurityGroupInvalidIcmpValue"],
    [{ protocol: "icmp", port_range_max: 0 }, "SecurityGroupMissingIcmpType"],
    [{ protocol: "gre", port_range_min: 1, port_range_max: 2 }, "SecurityGroupInvalidProtocolForPort"],
    [{ protocol: "any" }, "SecurityGroupRuleInvalidProtocol"],
    [{ protocol: "256" }, "SecurityGroupRuleInvalidProtocol"],
    [{ protocol: "icmpv6" }, "SecurityGroupEthertypeConflictWithProtocol"],
    [{ protocol: "58" }, "SecurityGroupEthertypeConflictWithProtocol"],
  ];
  it.each(refused)("%j: %s", async (rule, type) => {
    const { make } = await withGroup();
    const { status, json } = await make(rule);
    expect([status, json.NeutronError.type]).toEqual([400, type]);
  });

  it("for two groups in one request, and a second group called default", async () => {
    const { demo, group } = await withGroup();
    const { security_group: other } = (await demo.network("POST", "/security-groups", { security_group: { name: "h" } })).json;
    const security_group_rules = [group, other].map(({ id }) => ({ security_group_id: id, direction: "ingress" }));
    const bulk = await demo.network("POST", "/security-group-rules", { security_group_rules });
    expect([bulk.status, bulk.json.NeutronError.type]).toEqual([400, "SecurityGroupNotSingleGroupRules"]);
    const asDefault = { security_group: { name: "default" } };
    for (const reply of [
      await demo.network("POST", "/security-groups", asDefault),
      await demo.network("PUT", `/security-groups/${other.id}`, asDefault),
    ])
      expect([reply.status, reply.json.NeutronError.type]).toEqual([409, "SecurityGroupDefaultAlreadyExists"]);
  });
});

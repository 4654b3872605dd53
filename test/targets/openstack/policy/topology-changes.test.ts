import { expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { topologyChanges } from "../../../../src/targets/openstack/policy/topology-changes.js";

const project = (subnet: string) =>
  parseXml(`<openstack><networks><entry name="web"><subnets><entry name="a">${subnet}</entry></subnets></entry></networks></openstack>`);
const CIDR = "<cidr>10.0.0.0/24</cidr>";
const textsAfter = (subnet: string) => topologyChanges(project(CIDR), project(subnet)).map(({ text }) => text);

it("reports a changed address of a subnet", () => {
  expect(textsAfter("<cidr>10.0.1.0/24</cidr>")).toEqual(["Networks change (web): which networks reach each other is not compared."]);
});

it.each([
  "<description>x</description>",
  "<tags><member>x</member></tags>",
  "<dns_nameservers><member>10.0.0.1</member></dns_nameservers>",
])("reports nothing for %s, which decides no flow", (field) => {
  expect(textsAfter(`${CIDR}${field}`)).toEqual([]);
});

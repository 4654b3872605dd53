import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";
import type { ManagedFirewall } from "../../../../src/outcome/managed-firewalls.js";
import { pushedAt } from "../../../../src/targets/panos/managed/pushed-at.js";
import { Projection } from "../../../../src/targets/panos/projection/projection.js";
import { MANAGER, SERIALS } from "../../../lab/panos/manager/managed-lab.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const row = (serial: string, by: string, vsys?: string): ManagedFirewall => ({ serial, by, vsys, state: "in sync", connected: true });
const ROWS = {
  a: [row(SERIALS.a, "device-group/branch"), row(SERIALS.a, "template-stack/branches")],
  b: [row(SERIALS.b, "device-group/branch"), row(SERIALS.b, "template-stack/branches")],
  c: [row(SERIALS.c, "device-group/plants", "vsys2"), row(SERIALS.c, "template-stack/plants-stack")],
};
const projection = new Projection(parseXml(MANAGER), { precedence: "nearest", targeted: "left out", defaultRules: "nearest" });

/** The source of a pushed node, its place on the manager below its entry, and local configuration that hides it. */
function at(path: string, firewall: keyof typeof ROWS = "a", local = ""): readonly (string | undefined)[] {
  const running = parseXml(`<config>${local}</config>`);
  const found = pushedAt(parsePath(path.replace("~", DEVICE)), ROWS[firewall], projection, running);
  return found === undefined ? [] : [found.by, found.at.toString().replace(DEVICE, "~"), found.hiddenBy?.words];
}

const system = (name: string, inner: string) =>
  `<devices><entry name="localhost.localdomain"><vsys><entry name="${name}">${inner}</entry></vsys></entry></devices>`;
const PROXY = '<address><entry name="proxy"><fqdn>own.example.net</fqdn></entry></address>';

describe("the pushed value at a path of a firewall", () => {
  it.each([
    [
      "~/vsys/entry[@name='vsys1']/address/entry[@name='proxy']/ip-netmask",
      "device-group/offices",
      "~/device-group/entry[@name='offices']/address/entry[@name='proxy']/ip-netmask",
    ],
    ["~/vsys/entry[@name='vsys1']/address/entry[@name='dns']", "shared", "/config/shared/address/entry[@name='dns']"],
    ["/config/shared/address/entry[@name='dns']", "shared", "/config/shared/address/entry[@name='dns']"],
    [
      "~/vsys/entry[@name='vsys1']/rulebase/security/rules/entry[@name='above']",
      "device-group/all",
      "~/device-group/entry[@name='all']/pre-rulebase/security/rules/entry[@name='above']",
    ],
    [
      "~/vsys/entry[@name='vsys1']/rulebase/security/rules/entry[@name='log the rest']",
      "shared",
      "/config/shared/post-rulebase/security/rules/entry[@name='log the rest']",
    ],
    [
      "~/vsys/entry[@name='vsys1']/zone/entry[@name='inside']",
      "template/branch-net",
      `~/template/entry[@name='branch-net']${DEVICE}/vsys/entry[@name='vsys1']/zone/entry[@name='inside']`,
    ],
  ])("%s is by %s", (path, by, place) => expect(at(path)).toEqual([by, place, undefined]));

  it.each([
    "~/vsys/entry[@name='vsys1']/address/entry[@name='nothing']",
    "~/vsys/entry[@name='vsys1']/address",
    "~/vsys/entry[@name='vsys2']/address/entry[@name='proxy']",
    "/config/shared/address/entry[@name='proxy']",
    "~/vsys/entry[@name='vsys1']/rulebase/security/rules/entry[@name='off']",
    "~/deviceconfig/system/hostname",
  ])("is nothing at %s", (path) => expect(at(path)).toEqual([]));

  it("is that of the virtual system, of its own group", () => {
    expect(at("~/vsys/entry[@name='vsys2']/tag/entry[@name='press']", "c").slice(0, 1)).toEqual(["device-group/plants"]);
    expect(at("~/vsys/entry[@name='vsys1']/tag/entry[@name='press']", "c")).toEqual([]);
  });

  it("is hidden by an override, by an object of the virtual system with a shared name, and would collide in one place", () => {
    const domain =
      "<devices><entry name='localhost.localdomain'><deviceconfig><system><domain>own</domain></system></deviceconfig></entry></devices>";
    expect(at("~/deviceconfig/system/domain", "b", domain)[2]).toBe("its own value counts");
    expect(at("~/deviceconfig/system/domain", "b", domain.replace("own", "b.example.net"))[2]).toBeUndefined();
    const proxy = "~/vsys/entry[@name='vsys1']/address/entry[@name='proxy']";
    expect(at(proxy, "a", system("vsys1", PROXY))[2]).toMatch(/would refuse the next push/);
    const dns = "~/vsys/entry[@name='vsys1']/address/entry[@name='dns']";
    expect(at(dns, "a", system("vsys1", PROXY.replace("proxy", "dns")))[2]).toBe("its own one counts");
    expect(at(dns, "a", system("vsys1", PROXY))[2]).toBeUndefined();
  });
});

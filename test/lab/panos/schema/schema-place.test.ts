import { describe, expect, it } from "vitest";
import { ROOT, type SchemaPlace } from "../../../../src/lab/panos/schema/schema-place.js";

const spot = (path: string): SchemaPlace => path.split("/").reduce((above, tag) => above.child(tag), ROOT);
const VSYS = "devices/entry/vsys/entry";
const GROUP = "devices/entry/device-group/entry";
const TEMPLATE = "devices/entry/template/entry/config";

describe("places of a configuration", () => {
  it.each([
    "shared/address",
    `${VSYS}/address`,
    `${GROUP}/address`,
    `${TEMPLATE}/shared/address`,
    `${TEMPLATE}/${VSYS}/address`,
    "devices/entry/network/shared-gateway/entry/address",
  ])("%s defines addresses", (path) => {
    expect(spot(path).list).toEqual({ kind: "address", namespace: "address" });
    expect(spot(`${path}/entry/ip-netmask`).isText).toBe(true);
    expect(spot(path).child("entry").choices).toEqual([["ip-netmask", "ip-range", "ip-wildcard", "fqdn"]]);
  });

  it("knows the scopes of names", () => {
    const scopes = [
      "shared",
      "devices/entry",
      VSYS,
      GROUP,
      "devices/entry/template/entry",
      `${TEMPLATE}/shared`,
      `${TEMPLATE}/devices/entry`,
    ];
    expect(scopes.filter((path) => !spot(path).isScope)).toEqual([]);
    expect([spot("shared").frame, spot(`${TEMPLATE}/shared`).frame]).toEqual(["global", "scope"]);
    const others = ["panorama", "mgt-config", "devices", `${VSYS}/zone/entry`, "devices/entry/network/interface/ethernet/entry"];
    expect(others.filter((path) => spot(path).isScope)).toEqual([]);
  });

  it.each([
    [`${VSYS}/rulebase/security/rules/entry/source/member`, ["address", "address-group", "external-list", "region"]],
    [`${GROUP}/pre-rulebase/nat/rules/entry/from/member`, ["zone"]],
    [`${VSYS}/zone/entry/network/layer3/member`, ["interface"]],
    ["devices/entry/network/virtual-router/entry/interface/member", ["interface"]],
    ["devices/entry/network/tunnel/ipsec/entry/auto-key/ike-gateway/entry", ["ike-gateway"]],
    [`${VSYS}/address/entry/description`, undefined],
  ])("%s refers to %j", (path, kinds) => expect(spot(path).reference?.kinds).toEqual(kinds));

  it("knows lists of rules, match lists and encrypted fields", () => {
    expect(spot(`${VSYS}/rulebase/security/rules`).isRuleList).toBe(true);
    expect(spot(`${VSYS}/rulebase/security/rules/entry`).isRuleList).toBe(false);
    expect(spot(`${VSYS}/rulebase/security/rules/entry/source`).isMatchList).toBe(true);
    expect(spot(`${VSYS}/rulebase/security/rules/entry/tag`).isMatchList).toBe(false);
    expect(spot("devices/entry/network/ike/gateway/entry/authentication/pre-shared-key/key").isEncrypted).toBe(true);
    expect(spot("mgt-config/users/entry/phash").isEncrypted).toBe(true);
  });
});

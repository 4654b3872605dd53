import { describe, expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { shownPlace } from "../../src/report/shown-place.js";
import { panosShape } from "../../src/targets/panos/shape.js";

const device = "/config/devices/entry[@name='localhost.localdomain']";

describe("placeOf", () => {
  it.each([
    [`${device}/vsys/entry[@name='vsys1']/address/entry[@name='a/b']`, ["vsys1", "address", "a/b", ""]],
    [
      `${device}/vsys/entry[@name='vsys1']/rulebase/security/rules/entry[@name='r']/source/member[text()='x']`,
      ["vsys1", "rulebase/security/rules", "r", "source"],
    ],
    [`${device}/deviceconfig/system/hostname`, ["device", "deviceconfig/system", "hostname", ""]],
    ["/config/shared/address/entry[@name='x']/ip-netmask", ["shared", "address", "x", "ip-netmask"]],
    [`${device}/device-group/entry[@name='dg']/address/entry[@name='x']`, ["device-group/dg", "address", "x", ""]],
  ])("%s", (xpath, [scope, group, item, rest]) => {
    expect(shownPlace(parsePath(xpath), panosShape())).toEqual({ scope, group, item, rest });
  });
});

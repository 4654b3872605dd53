import { expect, it } from "vitest";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath.js";
import { panosPolicies } from "../../../src/targets/panos/policy-role.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const VSYS = `${DEVICE}/vsys/entry[@name='vsys1']`;

it.each([
  [`${VSYS}/rulebase/security/rules/entry[@name='r']/source`, true],
  [`${VSYS}/rulebase/nat/rules/entry[@name='r']`, true],
  [`${VSYS}/zone/entry[@name='web']/network/layer3`, true],
  [`${VSYS}/profiles/custom-url-category/entry[@name='c']`, true],
  [VSYS, true],
  ["/config/shared/address-group/entry[@name='g']", true],
  [`${DEVICE}/device-group/entry[@name='branch']/pre-rulebase`, true],
  [`${DEVICE}/network/virtual-router/entry[@name='default']/routing-table`, true],
  [`${DEVICE}/network/interface/ethernet/entry[@name='ethernet1/1']/layer3/ip/entry[@name='10.0.0.1/24']`, true],
  [`${DEVICE}/network/interface/ethernet/entry[@name='ethernet1/1']/comment`, false],
  [`${DEVICE}/deviceconfig/system/hostname`, false],
  [`${VSYS}/tag/entry[@name='t']`, false],
  [`${VSYS}/profiles/spyware/entry[@name='s']`, false],
  ["/config/mgt-config/users/entry[@name='u']", false],
])("a change at %s concerns what is let through: %s", (path, expected) => {
  expect(panosPolicies.concerns(parsePath(path))).toBe(expected);
});

it("reads what all share, and virtual systems with the settings of the device or, of a manager, device groups", () => {
  const entry = (list: string) => new TreeNode("entry", "localhost.localdomain", "", [new TreeNode(list)]);
  const desired = (list: string) => new TreeNode("config", undefined, "", [new TreeNode("devices", undefined, "", [entry(list)])]);
  expect(panosPolicies.subtrees(desired("vsys")).map(String)).toEqual(["/config/shared", `${DEVICE}/vsys`, `${DEVICE}/deviceconfig`]);
  expect(panosPolicies.subtrees(desired("device-group")).map(String)).toEqual(["/config/shared", `${DEVICE}/device-group`]);
});

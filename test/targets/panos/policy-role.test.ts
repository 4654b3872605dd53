import { expect, it } from "vitest";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { panosPolicies } from "../../../src/targets/panos/policy-role.js";
import { configuration } from "./fixtures.js";

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
  [`${VSYS}/profiles/spyware/entry[@name='s']`, true],
  ["/config/mgt-config/users/entry[@name='u']", false],
  [`${DEVICE}/device-group/entry[@name='branch']/devices/entry[@name='1']`, true],
  [`${DEVICE}/device-group/entry[@name='branch']/description`, false],
  [`${DEVICE}/template-stack/entry[@name='s']/devices/entry[@name='1']/variable/entry[@name='$if']`, true],
  [`${DEVICE}/template-stack/entry[@name='s']/templates/member[text()='t']`, true],
  [`${DEVICE}/template/entry[@name='t']/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/zone`, true],
  [`${DEVICE}/template/entry[@name='t']/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system/domain`, false],
])("a change at %s concerns what is let through: %s", (path, expected) => {
  expect(panosPolicies.concerns(parsePath(path))).toBe(expected);
});

it("reads shared and virtual systems with the settings of the device or, on a manager, device groups", () => {
  const entry = (list: string) => new TreeNode("entry", "localhost.localdomain", "", [new TreeNode(list)]);
  const desired = (list: string) => new TreeNode("config", undefined, "", [new TreeNode("devices", undefined, "", [entry(list)])]);
  const [plain, watching] = [{}, { firewalls: "watch" as const }].map((more) => configuration("https://192.0.2.1", more));
  const subtrees = (list: string, own = plain) => panosPolicies.subtrees(desired(list), own ?? expect.fail()).map(String);
  expect(subtrees("vsys")).toEqual(["/config/shared", `${DEVICE}/vsys`, `${DEVICE}/deviceconfig`]);
  const manager = ["device-group", "template", "template-stack"].map((list) => `${DEVICE}/${list}`);
  expect(subtrees("device-group")).toEqual(["/config/shared", ...manager, "/config/firewalls"]);
  expect(subtrees("template-stack")).toEqual(subtrees("device-group"));
  expect(subtrees("network")).toEqual(subtrees("vsys"));
  expect(subtrees("network", watching)).toEqual(subtrees("device-group"));
  expect(subtrees("vsys", watching)).toEqual(subtrees("vsys"));
});

it.each([
  [{}, ["10.0.0.2"], 1],
  [{ groupMembers: "from the rule" }, ["10.0.0.2"], 1],
  [{ groupMembers: "from the group" }, ["10.0.0.1"], 1],
] as const)("reads rules as plumbline.yaml says of the device: %j", async (reading, expected, doubts) => {
  const host = (ip: string) => `<address><entry name="host"><ip-netmask>${ip}</ip-netmask></entry></address>`;
  const rule = `<rulebase><security><rules><entry name="r"><source><member>g</member></source><action>allow</action></entry></rules></security></rulebase>`;
  const xml = `<config><shared>${host("10.0.0.1")}<address-group><entry name="g"><static><member>host</member></static></entry></address-group></shared><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><zone><entry name="a"/></zone>${host("10.0.0.2")}${rule}</entry></vsys></entry></devices></config>`;
  const tree = parseXml(Buffer.from(xml));
  const told = { configuration: configuration("https://192.0.2.1", { reading }) };
  const reader = await panosPolicies.load();
  const [policy] = reader.rulebases([tree], told)[0]?.policies() ?? [];
  const source = policy?.rules[0]?.source;
  const values =
    source === undefined || source === "any" ? [] : source.objects.flatMap(({ members }) => members.flatMap((each) => each.values));
  expect(values.map(({ first }) => `10.0.0.${first - 0x0a000000n}`)).toEqual(expected);
  expect(policy?.limits.filter(({ text }) => text.includes("[?]")).length).toBe(doubts);
  const none = { from: [], to: [], destination: [], service: [], application: [] };
  const flows = (await panosPolicies.loadWords()).flows(tree, "vsys1", { ...none, source: ["g"] }, told);
  const asked = flows.source === "any" ? [] : flows.source.objects.flatMap(({ members }) => members.flatMap((each) => each.values));
  expect(asked).toEqual(values);
});

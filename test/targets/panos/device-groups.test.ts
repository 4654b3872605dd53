import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { deviceGroupParents } from "../../../src/targets/panos/device-groups.js";
import { openPanosReader } from "../../../src/targets/panos/reader.js";
import { configuration, dependencies, unknownCommand } from "./fixtures.js";
import { scriptedDevice } from "./scripted-device.js";
import { CALLS, configurationTable, QUIET, type Table, tableScript } from "./table-device.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const group = (name: string): string => `${DEVICE}/device-group/entry[@name='${name}']`;
const SHOW = "<show><dg-hierarchy></dg-hierarchy></show>";
const ANSWER = `<response status="success"><result><dg-hierarchy><dg name="all" dg_id="11"><dg name="offices" dg_id="12"><dg name="it's a &quot;branch&quot;" dg_id="13"/></dg></dg><dg name="plants" dg_id="14"/></dg-hierarchy></result></response>`;
const GROUPS = `<device-group><entry name="offices"><address><entry name="a"><ip-netmask>192.0.2.1</ip-netmask></entry></address></entry></device-group>`;
const READONLY = `<readonly><devices><entry name="localhost.localdomain"><device-group><entry name="offices"><id>12</id><parent-dg>all</parent-dg></entry><entry name="all"><id>11</id></entry></device-group></entry></devices></readonly>`;

async function read(
  table: Table,
  xml = `<config>${READONLY}<devices><entry name="localhost.localdomain">${GROUPS}</entry></devices></config>`,
  path = `${group("offices")}/address`,
) {
  const device = await scriptedDevice(tableScript({ ...QUIET, ...configurationTable(xml), ...table }));
  const target = openPanosReader(configuration(device.url), dependencies());
  const tree = await target.read([parsePath(path)], "candidate");
  await target.close();
  return { asked: device.asked, parents: deviceGroupParents(tree) };
}

describe("the hierarchy of device groups", () => {
  it("is read with the groups", async () => {
    const { parents } = await read({ [SHOW]: ANSWER });
    expect([...parents]).toEqual([
      [group("offices"), group("all")],
      [`${DEVICE}/device-group/entry[@name=concat("it's a ", '"branch"')]`, group("offices")].map((xpath) => parsePath(xpath).toString()),
    ]);
  });

  it("comes from the configuration if the command is unknown", async () => {
    const { parents } = await read({ [SHOW]: unknownCommand });
    expect([...parents]).toEqual([[group("offices"), group("all")]]);
  });

  it("is empty if the configuration has none either", async () => {
    const without = `<config><devices><entry name="localhost.localdomain">${GROUPS}</entry></devices></config>`;
    expect((await read({ [SHOW]: unknownCommand }, without)).parents.size).toBe(0);
  });

  it("is not read from a firewall, which has none", async () => {
    const xml = `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><tag><entry name="t"/></tag></entry></vsys></entry></devices></config>`;
    const { asked } = await read({}, xml, `${DEVICE}/vsys`);
    expect(asked.some(({ call }) => call === SHOW)).toBe(false);
  });

  it("comes from the configuration if the account lacks the permission, and is unknown otherwise", async () => {
    const refused = { [SHOW]: '<response status="error" code="16"><msg><line>Unauthorized request</line></msg></response>' };
    expect((await read(refused)).parents.size).toBe(1);
    const without = `<config><devices><entry name="localhost.localdomain">${GROUPS}</entry></devices></config>`;
    await expect(read(refused, without)).rejects.toMatchObject({ code: "role-not-authorized" });
  });

  it("is found in an exported configuration too", () => {
    expect([...deviceGroupParents(parseXml(Buffer.from(`<config>${READONLY}</config>`)))]).toHaveLength(1);
  });
});

describe("a pair of managers", () => {
  it.each([
    ["primary-active", "active"],
    ["secondary-active", "active"],
    ["secondary-passive", "passive"],
    ["primary-suspended", "suspended"],
    ["initial", "unknown"],
  ])("says its part without a group: %s is %s", async (state, role) => {
    const answer = `<response status="success"><result><enabled>yes</enabled><local-info><state>${state}</state></local-info><peer-info><serial-num>0099</serial-num></peer-info></result></response>`;
    const device = await scriptedDevice(tableScript({ ...QUIET, [CALLS.ha]: answer }));
    const target = openPanosReader(configuration(device.url), dependencies());
    expect((await target.open()).identity.role).toBe(role);
    await target.close();
  });
});

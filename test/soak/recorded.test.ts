import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TreeNode } from "../../src/core/tree/node.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { writeXml } from "../../src/core/tree/xml/write.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { unshared } from "../../src/engine/apply/fences.js";
import { readReply } from "../../src/targets/panos/client/reply.js";
import { policyDifferences } from "../../src/targets/panos/projection/compare-policy.js";
import { Projection, type ProjectionOptions } from "../../src/targets/panos/projection/projection.js";
import { pushedPolicyIn } from "../../src/targets/panos/projection/pushed.js";
import { openPanosReader } from "../../src/targets/panos/reader.js";
import { afterTest } from "../after-test.js";
import { leaveOut } from "../left-out.js";
import { configuration, dependencies, found } from "../targets/panos/fixtures.js";
import { writer } from "../targets/panos/open-writer.js";
import { scriptedDevice } from "../targets/panos/scripted-device.js";
import { CALLS, QUIET, tableScript } from "../targets/panos/table-device.js";

/**
 * Replies of managers that other projects recorded, read unchanged from their repositories (docs/contributing/conformance.md#recorded-replies).
 * PLUMBLINE_RECORDED: the test data of demisto/content; PLUMBLINE_PAN_OS_PYTHON: a clone of pan-os-python.
 */
const { PLUMBLINE_RECORDED: recorded, PLUMBLINE_PAN_OS_PYTHON: client } = process.env;
if (recorded === undefined || client === undefined) leaveOut("recorded replies of managers: PLUMBLINE_RECORDED, PLUMBLINE_PAN_OS_PYTHON");

const bytes = (name: string) => readFileSync(join(recorded ?? "", name), "utf8");
const hierarchy = () => {
  const text = readFileSync(join(client ?? "", "tests/test_panorama.py"), "utf8");
  return /<response[\s\S]*?<dg-hierarchy>[\s\S]*?<\/response>/.exec(text)?.[0] ?? expect.fail();
};
const [ONE, TWO] = ["1", "2"].map((digit) => digit.repeat(15));
const SYSTEM =
  '<response status="success"><result><system><model>Panorama</model><serial>0099</serial><sw-version>11.1.4</sw-version></system></result></response>';
const PUSH = {
  validate: true,
  arrival: "firewall",
  others: "refuse",
  systems: "bare",
  perJob: Number.POSITIVE_INFINITY,
  timeout: 60,
  rollout: { canary: [], batch: undefined, apart: [] },
} as const;

const table = () => ({
  ...QUIET,
  [CALLS.system]: SYSTEM,
  "<show><devicegroups></devicegroups></show>": bytes("show_device_groups.xml"),
  "<show><template-stack></template-stack></show>": bytes("show_template_stack_without_hostname.xml"),
  "<show><devices><all></all></devices></show>": bytes("panorama_show_devices_all.xml"),
  "<show><dg-hierarchy></dg-hierarchy></show>": hierarchy(),
  "config/get": found(`<devices><entry name="${ONE}"/><entry name="${TWO}"/></devices>`),
  [CALLS.jobs]: bytes("show_jobs_with_failed.xml"),
  "<show><jobs><id>123</id></jobs></show>": bytes("push_to_device_success.xml"),
});

/** The group's rules as the manager stores them, without the marks of pushed ones. */
function asWritten({ tag, name, text, children, attributes }: TreeNode): TreeNode {
  const uuid = attributes?.get("uuid");
  return new TreeNode(tag, name, text, children.map(asWritten), uuid === undefined ? undefined : new Map([["uuid", uuid]]));
}

describe.skipIf(recorded === undefined || client === undefined)("recorded replies of managers", () => {
  it("contain which firewall is in sync, its last push, and its peer", async () => {
    const device = await scriptedDevice(tableScript(table()));
    const target = openPanosReader({ ...configuration(device.url), push: PUSH }, dependencies());
    afterTest(() => target.close());
    const rows = await target.managed.firewalls(undefined);
    expect(rows?.map(({ serial, by, state, version, ha }) => [serial, by, state, version, ha?.state, ha?.peer])).toEqual([
      [ONE, "device-group/LAB", "in sync", "52", "passive", TWO],
      [TWO, "device-group/LAB", "out of sync", undefined, "active", ONE],
      [ONE, "template-stack/LAB-STACK", "in sync", "52", "passive", TWO],
      [TWO, "template-stack/LAB-STACK", "out of sync", undefined, "active", ONE],
    ]);
    expect(rows?.map(({ connected, hostname, lastPush }) => [connected, hostname, lastPush?.result, lastPush?.at])).toEqual([
      [true, "vm-lab-fw1", "commit succeeded with warnings", "2022/03/05 23:45:33"],
      [true, "vm-lab-fw02", "commit succeeded", "2022/03/05 23:45:33"],
      [true, undefined, "commit succeeded with warnings", "2022/03/05 23:45:33"],
      [true, "vm-lab-fw02", "commit succeeded with warnings", "2022/03/05 23:45:33"],
    ]);
  });

  it("contain the hierarchy of groups", async () => {
    const groups = bytes("show_device_groups.xml").replace('name="LAB"', 'name="jill"').replace('name="LAB-Child-1"', 'name="drums"');
    const device = await scriptedDevice(tableScript({ ...table(), "<show><devicegroups></devicegroups></show>": groups }));
    const target = openPanosReader(configuration(device.url), dependencies());
    afterTest(() => target.close());
    const reached = async (group: string) => {
      const path = parsePath(`/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='${group}']/tag`);
      return (await target.managed.firewalls({ paths: [path], tree: new TreeNode("config") }))?.length;
    };
    expect([await reached("people"), await reached("friends"), await reached("jill"), await reached("instruments")]).toEqual([2, 2, 2, 0]);
  });

  it("contain the push result of each firewall after the job ended, and none without a push", async () => {
    const { target } = await writer(table(), { push: PUSH });
    const { pushes } = target.writer.behind(unshared);
    if (pushes === undefined) throw new Error("no pushes");
    const serials = ["007051000050926", "007051000086000", "007000000000009"];
    expect((await pushes.watch("123", serials, () => undefined)).map(({ serial, result, lines }) => [serial, result, ...lines])).toEqual([
      ["007051000050926", "ok", "Configuration committed successfully"],
      ["007051000086000", "ok", "Configuration committed successfully"],
      ["007000000000009", "missing"],
    ]);
    expect(await pushes.jobs("plumbline")).toEqual([]);
  });

  it("contain the pushed content of a firewall, which equals its group's", () => {
    const pushed = pushedPolicyIn(readReply(parseXml(bytes("get_rule_hitcounts_pushed_policy.xml")), 200)?.result);
    const rules = pushed.own?.children.map((each) => writeXml(asWritten(each), { secrets: "label" })).join("") ?? "";
    const entry = (inner: string) =>
      `<config><devices><entry name="localhost.localdomain"><device-group><entry name="Lab Firewalls"><devices><entry name="1"/></devices>${inner}</entry></device-group></entry></devices></config>`;
    const options: ProjectionOptions = { precedence: "nearest", targeted: "left out", defaultRules: "nearest" };
    const judged = (config: string) => {
      const policy = new Projection(parseXml(config), options).policy("Lab Firewalls") ?? expect.fail();
      return [...policyDifferences(policy, pushed, { serial: "1", vsys: "vsys1" }, options)].map(
        ({ what, path }) => `${what} ${path.name ?? path.tag}`,
      );
    };
    expect(rules).toContain("Rule 5");
    expect(judged(entry(rules))).toEqual([]);
    expect(judged(entry(rules.replace("Rule 5", "Rule 6")))).not.toEqual([]);
    expect(judged(entry(rules.replace("<action>deny", "<action>allow")))).not.toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { policyOf, USUAL_PROJECTION } from "../../../../src/lab/panos/manager/policy-projection.js";
import { firewallName } from "../../../../src/outcome/insight.js";
import type { Policy } from "../../../../src/reachability/flows/policy.js";
import type { Rulebase } from "../../../../src/reachability/policy-role.js";
import { rulebasesOf } from "../../../../src/targets/panos/policy/policies.js";
import { MANAGER, SERIALS } from "../../../lab/panos/manager/managed-lab.js";

const manager = (edit: (xml: string) => string = (xml) => xml): TreeNode => parseXml(edit(MANAGER));
const asked = (root: TreeNode, entries: string): TreeNode =>
  new TreeNode(root.tag, root.name, root.text, [...root.children, parseXml(`<firewalls>${entries}</firewalls>`)], root.attributes);
const whose = ({ scope, firewalls }: Rulebase): string => `${scope}: ${(firewalls ?? []).map(firewallName).join(", ")}`;
const rulesOf = (policy: Policy | undefined): readonly string[] =>
  policy?.rules.map(({ key, conditions }) => `${key.level} ${key.group} ${key.name}${conditions.length === 0 ? "" : " ?"}`) ?? [];
const of = (rulebases: readonly Rulebase[], serial: string): Rulebase =>
  rulebases.find(({ firewalls = [] }) => firewalls.some((each) => each.serial === serial)) ?? expect.fail();
const doubts = (rulebase: Rulebase): readonly string[] =>
  rulebase.policies().flatMap((policy) => policy?.limits.filter(({ doubtful }) => doubtful).map(({ text }) => text) ?? []);

describe("the pushed policy of a manager's firewalls", () => {
  it("is computed for each of them: rules for others are omitted, and zones are those of its template", () => {
    const found = rulebasesOf([manager()]);
    expect(found.map(whose)).toEqual([
      `device-group/branch: ${SERIALS.a}`,
      `device-group/branch: ${SERIALS.b}`,
      `device-group/plants: ${SERIALS.c} vsys1`,
      `device-group/plants: ${SERIALS.c} vsys2`,
    ]);
    const [a, b] = [SERIALS.a, SERIALS.b].map((serial) => of(found, serial).policies()[0]);
    const above = ["pre device-group/all above", "pre device-group/branch mine"];
    const below = [
      "post device-group/all last of all",
      "post shared log the rest",
      "default  intrazone-default",
      "default  interzone-default",
    ];
    expect(rulesOf(a)).toEqual([...above, "pre device-group/branch of a", ...below]);
    expect(rulesOf(b)).toEqual([...above, ...below]);
    expect([a?.zones, a?.otherZones]).toEqual([["inside"], true]);
    expect(found.map(({ within }) => within)).toContainEqual(["device-group/branch", "device-group/offices", "device-group/all", "shared"]);
  });

  it.each(["a", "b"] as const)("equals the configuration that firewall %s received in the lab", (name) => {
    const serial = SERIALS[name];
    const root = manager();
    const pushed = policyOf(root, "branch", { serial, vsys: "vsys1" }, USUAL_PROJECTION);
    const isRules = ({ tag }: TreeNode) => tag.endsWith("rulebase");
    const zone = new TreeNode("zone", undefined, "", [new TreeNode("entry", "inside")]);
    const systems = new TreeNode("vsys", undefined, "", [new TreeNode("entry", "vsys1", "", [...pushed.children, zone])]);
    const box = parseXml(
      `<config><shared/><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"/></vsys></entry></devices></config>`,
    );
    const handed = new TreeNode("panorama", undefined, "", [new TreeNode("shared"), systems]);
    const firewall = new TreeNode("config", undefined, "", [...box.children, handed]);
    expect(pushed.children.filter(isRules)).toHaveLength(2);
    const [[own] = [], [ours] = []] = [rulebasesOf([firewall]), [of(rulebasesOf([root]), serial)]].map((found) =>
      found.map((each) => each.policies()[0]),
    );
    const bare = (policy: Policy | undefined) =>
      policy?.rules.map(({ key, zones, verdict, conditions }) => ({ key, zones, verdict, conditions }));
    const withoutTarget = bare(own)?.map((rule) => (rule.key.name === "of a" ? { ...rule, conditions: [] } : rule));
    expect(bare(ours)).toEqual(withoutTarget);
    expect(ours?.zones).toEqual(own?.zones);
  });

  it("is one for all with the same result, for any number", () => {
    const more = Array.from({ length: 40 }, (_, at) => `<entry name="0080${at}"/>`).join("");
    const found = rulebasesOf([manager((xml) => xml.replace(`<entry name="branch"><devices>`, `<entry name="branch"><devices>${more}`))]);
    expect(found.map(({ firewalls }) => firewalls?.length)).toEqual([40, 1, 1, 1, 1]);
    const tagged = rulebasesOf([manager((xml) => xml.replace("<target><devices>", "<target><tags><member>t</member></tags><devices>"))]);
    expect(rulesOf(of(tagged, SERIALS.b).policies()[0])).toContain("pre device-group/branch of a ?");
  });

  it("is evaluated with the firewall's own configuration, if that was read: rules, objects, zones", () => {
    const own = `<config><shared/><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><zone><entry name="lan"/></zone><address><entry name="dns"><ip-netmask>10.9.9.9</ip-netmask></entry></address><rulebase><security><rules><entry name="local one"><from><member>lan</member></from><source><member>dns</member></source><action>deny</action></entry></rules></security></rulebase></entry></vsys></entry></devices></config>`;
    const root = asked(
      manager(),
      `<entry name="${SERIALS.a}"><hostname>fw-a</hostname>${own}</entry><entry name="${SERIALS.b}"><hostname>fw-b</hostname><unread>it is not connected.</unread></entry>`,
    );
    const found = rulebasesOf([root]);
    const a = of(found, SERIALS.a);
    expect(whose(a)).toBe("device-group/branch: fw-a");
    const [policy] = a.policies();
    expect(rulesOf(policy).slice(2, 5)).toEqual(["pre device-group/branch of a", "local  local one", "post device-group/all last of all"]);
    expect([policy?.zones, policy?.otherZones]).toEqual([["lan", "inside"], false]);
    const source = policy?.rules.find(({ key }) => key.name === "local one")?.source;
    expect(source === "any" ? [] : source?.objects[0]?.values.map(({ first }) => first)).toEqual([0x0a090909n]);
    expect(doubts(a)).toEqual([]);
    expect(doubts(of(found, SERIALS.b))).toEqual([expect.stringContaining("could not be read: it is not connected.")]);
    expect(doubts(of(found, SERIALS.c))).toEqual([expect.stringContaining("own rules are between")]);
  });

  it.each([
    [
      "several device groups: branch, plants",
      (xml: string) => xml.replace(`<entry name="branch"><devices>`, `<entry name="branch"><devices><entry name="${SERIALS.c}"/>`),
      SERIALS.c,
    ],
    [
      "several template stacks: branches, plants-stack",
      (xml: string) =>
        xml.replace(`<templates><member>plant-net</member></templates><devices>`, `<templates/><devices><entry name="${SERIALS.a}"/>`),
      SERIALS.a,
    ],
    [
      "a parent of its group, was not read",
      (xml: string) => xml.replace(`<parent-dg>offices</parent-dg>`, `<parent-dg>hidden</parent-dg>`),
      SERIALS.b,
    ],
  ])("is not known of a firewall that is in %s, and is of its neighbours", (why, edit, serial) => {
    const found = rulebasesOf([manager(edit)]);
    expect(() => of(found, serial).policies()).toThrow(why);
    const others = found.filter(({ firewalls = [] }) => firewalls.every((each) => each.serial !== serial));
    expect(others.length).toBeGreaterThan(0);
    if (!why.includes("parent")) for (const each of others) expect(each.policies()[0]?.rules.length).toBeGreaterThan(0);
  });

  it("is separated by effect: unaffected ones are known to be the same", () => {
    const [before, after] = [manager(), manager((xml) => xml.replace(`name="mine"`, `name="mine too"`))];
    const found = rulebasesOf([before, after]);
    expect(found.map((each) => [whose(each).split(": ")[0], each.isSame])).toEqual([
      ["device-group/branch", false],
      ["device-group/branch", false],
      ["device-group/plants", true],
      ["device-group/plants", true],
    ]);
    const joins = rulebasesOf([
      before,
      manager((xml) => xml.replace(`<entry name="branch"><devices>`, `<entry name="branch"><devices><entry name="0080"/>`)),
    ]);
    const [was, is] = of(joins, "0080").policies();
    expect([was, is?.rules.length]).toEqual([undefined, 6]);
    expect(is?.limits[0]).toMatchObject({ isOfChange: true, doubtful: true });
    const zone = rulebasesOf([
      before,
      manager((xml) =>
        xml.replace(
          `<entry name="inside"><network><layer3/>`,
          `<entry name="inside"><network><layer3><member>ethernet1/2</member></layer3>`,
        ),
      ),
    ]);
    expect(zone.map(({ isSame }) => isSame)).toEqual([false, false, true, true]);
    expect(of(zone, SERIALS.b).policies()[1]?.limits[0]?.text).toContain("Traffic from ethernet1/2 now belongs to zone inside");
  });

  it("stays a question of the group if no firewall gets anything of it", () => {
    const empty = manager((xml) => xml.replace("<device-group>", `<device-group><entry name="empty"/>`));
    expect(rulebasesOf([empty]).map(whose)[0]).toBe("device-group/empty: ");
  });
});

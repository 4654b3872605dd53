import { describe, expect, it } from "vitest";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { policyOf, sharedOf, USUAL_PROJECTION } from "../../../../src/lab/panos/manager/policy-projection.js";
import { policyDifferences } from "../../../../src/targets/panos/projection/compare-policy.js";
import { Projection, type ProjectionOptions } from "../../../../src/targets/panos/projection/projection.js";
import { MANAGER, SERIALS } from "../../../lab/panos/manager/managed-lab.js";

const USUAL: ProjectionOptions = { precedence: "nearest", targeted: "left out", defaultRules: "nearest" };

interface Case {
  readonly ours?: ProjectionOptions;
  readonly lab?: Partial<typeof USUAL_PROJECTION>;
  readonly group?: string;
  readonly vsys?: string;
  readonly serial?: string;
  /** For a firewall with several virtual systems. */
  readonly isMulti?: boolean;
  /** Its previous configuration. */
  readonly sharedOf?: TreeNode;
  readonly held?: TreeNode;
  /** Changes of the firewall's configuration. */
  readonly change?: (own: string) => string;
}

const toText = (node: TreeNode): string => {
  const attributes = [...(node.name === undefined ? [] : [["name", node.name] as const]), ...(node.attributes ?? [])];
  const words = attributes.map(([key, value]) => ` ${key}="${value}"`).join("");
  return `<${node.tag}${words}>${node.children.length === 0 ? node.text : node.children.map(toText).join("")}</${node.tag}>`;
};

/** Compares a firewall that got the lab's projection with the product's projection: `missing address/proxy`. */
function judged(manager: string, { ours = USUAL, lab = {}, group = "branch", vsys = "vsys1", isMulti = false, ...more }: Case = {}) {
  const { change = (own) => own, serial = SERIALS.a } = more;
  const root = parseXml(manager);
  const handed = policyOf(root, group, { serial, vsys }, { ...USUAL_PROJECTION, ...lab }, more.held);
  const isShared = ({ attributes }: TreeNode) => isMulti && attributes?.get("loc") === "shared";
  const kept = handed.children.map((list) =>
    list.tag.endsWith("rulebase")
      ? list
      : new TreeNode(
          list.tag,
          undefined,
          "",
          list.children.filter((each) => !isShared(each)),
        ),
  );
  const own = parseXml(change(toText(new TreeNode("panorama", undefined, "", kept))));
  const projection = new Projection(root, ours);
  const policy = projection.policy(group);
  if (policy === undefined) throw new Error(`no group ${group}`);
  const shared = isMulti ? sharedOf(more.sharedOf ?? root) : undefined;
  return [...policyDifferences(policy, { own, shared }, { serial, vsys }, ours)].map(({ what, path, wanted, found }) => {
    const place = path
      .steps()
      .slice(2)
      .map(({ tag, name }) => name ?? tag)
      .join("/")
      .replace("localhost.localdomain/device-group/", "");
    return [what, place, ...(wanted === undefined && found === undefined ? [] : [`${wanted} > ${found}`])].join(" ");
  });
}

const replaced = (from: string | RegExp, to: string) => (text: string) => {
  const made = text.replace(from, to);
  if (made === text) throw new Error(`nothing was replaced: ${text}`);
  return made;
};

describe("the pushed content of a firewall, compared with its group", () => {
  it("is the same on each firewall of the lab, in both forms of devices", () => {
    for (const precedence of ["nearest", "ancestors"] as const)
      for (const leavesOutTargeted of [true, false])
        for (const [group, serial, isMulti] of [
          ["branch", SERIALS.a, false],
          ["branch", SERIALS.b, false],
          ["plants", SERIALS.c, true],
          ["offices", SERIALS.a, false],
        ] as const) {
          const targeted = leavesOutTargeted ? "left out" : "delivered";
          const same = {
            group,
            serial,
            isMulti,
            ours: { ...USUAL, precedence, targeted },
            lab: { precedence, leavesOutTargeted },
          } as const;
          expect(judged(MANAGER, same)).toEqual([]);
        }
  });

  it("differs if a firewall with several virtual systems still has a deleted shared object", () => {
    const former = parseXml(
      replaced("<shared><address>", '<shared><address><entry name="gone"><ip-netmask>192.0.2.7</ip-netmask></entry>')(MANAGER),
    );
    const several = { group: "plants", serial: SERIALS.c, isMulti: true } as const;
    expect(judged(MANAGER, several)).toEqual([]);
    expect(judged(MANAGER, { ...several, sharedOf: former })).toEqual(["extra address/gone"]);
  });

  it("is the same whether unused objects stay or not", () => {
    const unshared = replaced(
      "</hostname></system>",
      "</hostname></system><setting><management><share-unused-objects-with-devices>no</share-unused-objects-with-devices></management></setting>",
    );
    const lonely = replaced(
      `<address>${'<entry name="proxy"><ip-netmask>192.0.2.3'}`,
      `<address><entry name="lonely"><ip-netmask>192.0.2.9</ip-netmask></entry>${'<entry name="proxy"><ip-netmask>192.0.2.3'}`,
    );
    const used = replaced(/(<entry name="mine".*?)<source><member>any/, "$1<source><member>proxy");
    const manager = used(lonely(unshared(MANAGER)));
    const root = parseXml(manager);
    const before = policyOf(parseXml(lonely(MANAGER)), "branch", { serial: SERIALS.b, vsys: "vsys1" }, USUAL_PROJECTION);
    const names = (lab: Partial<typeof USUAL_PROJECTION>) =>
      policyOf(root, "branch", { serial: SERIALS.b, vsys: "vsys1" }, { ...USUAL_PROJECTION, ...lab }, before).children.flatMap(
        ({ tag, children }) => (tag === "address" ? children.map(({ name }) => name) : []),
      );
    expect(names({})).toEqual(["proxy"]);
    expect(names({ unused: "stay" })).toEqual(["lonely", "proxy", "dns"]);
    expect(judged(manager, { serial: SERIALS.b })).toEqual([]);
    expect(judged(manager, { serial: SERIALS.b, lab: { unused: "stay" }, held: before })).toEqual([]);
    expect(judged(manager, { serial: SERIALS.b, change: replaced(/<entry name="proxy".*?<\/entry>/, "") })).toEqual([
      "missing offices/address/proxy",
    ]);
  });

  it("is the same for any of several places of a default rule, if configured", () => {
    const rule = (action: string) =>
      `<post-rulebase><default-security-rules><rules><entry name="interzone-default"><action>${action}</action></entry></rules></default-security-rules><security>`;
    const manager = replaced(
      "</address><post-rulebase><security>",
      `</address>${rule("allow")}`,
    )(replaced(/(<entry name="all">.*?)<post-rulebase><security>/, `$1${rule("deny")}`)(MANAGER));
    for (const defaultRules of ["nearest", "shared"] as const)
      for (const ours of ["nearest", "shared"] as const) {
        const found = judged(manager, { serial: SERIALS.b, ours: { ...USUAL, defaultRules: ours }, lab: { defaultRules } });
        expect(found.length === 0, `${defaultRules} ${ours} ${found.join()}`).toBe(defaultRules === ours);
      }
  });

  it("differs if the device uses the other form", () => {
    expect(judged(MANAGER, { lab: { precedence: "ancestors" } })).toEqual([
      "differs offices/address/proxy/ip-netmask 192.0.2.3 > 192.0.2.1",
    ]);
    expect(judged(MANAGER, { serial: SERIALS.b, lab: { leavesOutTargeted: false } })).toEqual([
      "extra branch/pre-rulebase/security/rules/of a",
    ]);
    expect(judged(MANAGER, { serial: SERIALS.b, ours: { ...USUAL, targeted: "delivered" } })).toEqual([
      "missing branch/pre-rulebase/security/rules/of a",
    ]);
  });

  it("names the differing rule, object or value, and its place on the manager", () => {
    const rule = /<entry name="mine".*?<\/entry>/;
    const cases: readonly (readonly [string, (own: string) => string, readonly string[]])[] = [
      ["a rule is gone", replaced(rule, ""), ["missing branch/pre-rulebase/security/rules/mine"]],
      [
        "a rule is other",
        replaced(/(name="mine".*?<action[^>]*>)allow/, "$1deny"),
        ["differs branch/pre-rulebase/security/rules/mine/action allow > deny"],
      ],
      [
        "a zone is other",
        replaced(/(name="mine".*?<from[^>]*><member[^>]*>)inside/, "$1dmz"),
        ["differs branch/pre-rulebase/security/rules/mine/from inside > dmz"],
      ],
      [
        "a rule is too many",
        replaced(rule, '$&<entry name="old" loc="all"><action loc="all">deny</action></entry>'),
        ["extra all/pre-rulebase/security/rules/old"],
      ],
      ["an object is gone", replaced(/<entry name="dns".*?<\/entry>/, ""), ["missing address/dns"]],
      ["an object is too many", replaced(/<address>/, '$&<entry name="old" loc="offices"/>'), ["extra offices/address/old"]],
      ["what a device adds", replaced(/<address>/, '$&<entry name="azure-healthcheck-address"/>'), []],
      ["a copy without target", replaced(/<target.*?<\/target>/, ""), []],
      ["no marks at all", (own) => own.replace(/ loc="[^"]*"/g, ""), []],
      ["marks on every node", replaced(/<entry name="mine"/, '$& panorama="true"'), []],
      [
        "rules are swapped",
        replaced(/(<entry name="above".*?<\/entry>)(<entry name="mine".*?<\/entry>)/, "$2$1"),
        ["out of place all/pre-rulebase/security/rules/above"],
      ],
      ["nothing was handed", () => "<nothing/>", ["missing branch"]],
    ];
    for (const [what, change, words] of cases) {
      if (what === "nothing was handed") {
        const projection = new Projection(parseXml(MANAGER), USUAL).policy("branch");
        if (projection === undefined) throw new Error("no group");
        const nothing = { own: undefined, shared: undefined };
        expect([...policyDifferences(projection, nothing, { serial: SERIALS.a, vsys: "vsys1" }, USUAL)]).toMatchObject([
          { what: "missing" },
        ]);
      } else expect([what, judged(MANAGER, { change })]).toEqual([what, words]);
    }
  });

  it("accepts an unused object with and without delivery, if the manager omits such ones", () => {
    const silent = MANAGER.replace(
      "<deviceconfig>",
      "<deviceconfig><setting><management><share-unused-objects-with-devices>no</share-unused-objects-with-devices></management></setting>",
    )
      .replace(
        '<rules><entry name="mine"',
        '<rules><entry name="off too"><source><member>names</member></source><disabled>yes</disabled></entry><entry name="mine"',
      )
      .replace("</shared>", '<address-group><entry name="names"><static><member>dns</member></static></entry></address-group></shared>');
    const without = (name: string) => replaced(new RegExp(`<entry name="${name}".*?</entry>`), "");
    expect(judged(silent)).toEqual([]);
    expect(judged(silent, { change: without("dns") })).toEqual(["missing address/dns"]);
    expect(judged(silent, { change: without("names") })).toEqual(["missing address-group/names"]);
    expect(judged(MANAGER, { change: without("proxy") })).toEqual(["missing offices/address/proxy"]);
  });

  it("knows the virtual system of each rule", () => {
    const target = (inner: string) =>
      `<target><devices><entry name="${SERIALS.c}"><vsys><entry name="vsys2"/></vsys></entry></devices>${inner}</target>`;
    for (const [inner, for1, for2] of [
      ["", [], ["some"]],
      ["<negate>yes</negate>", ["some"], []],
    ] as const) {
      const manager = MANAGER.replace(
        '<tag><entry name="press"/></tag>',
        `<pre-rulebase><security><rules><entry name="some"><action>deny</action>${target(inner)}</entry></rules></security></pre-rulebase>`,
      );
      for (const [vsys, names] of [
        ["vsys1", for1],
        ["vsys2", for2],
      ] as const) {
        const same = { group: "plants", serial: SERIALS.c, vsys, isMulti: true } as const;
        expect(judged(manager, same)).toEqual([]);
        const gone = names.map((name) => `missing plants/pre-rulebase/security/rules/${name}`);
        const change = names.length === 0 ? undefined : replaced(/<entry name="some".*?<\/target><\/entry>/, "");
        expect(judged(manager, { ...same, ...(change === undefined ? {} : { change }) })).toEqual(gone);
      }
    }
  });
});

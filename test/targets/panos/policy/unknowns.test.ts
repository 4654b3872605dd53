import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { pathIn } from "../../../../src/reachability/questions/format-reach.js";
import { policiesOf, rulebasesOf } from "../../../../src/targets/panos/policy/policies.js";
import { ASSUMED, type ReadingOptions } from "../../../../src/targets/panos/policy/reading.js";
import { panosSettings } from "../../../../src/targets/panos/settings.js";
import { MANAGER, SERIALS } from "../../../lab/panos/manager/managed-lab.js";

const NAT = readFileSync("test/cases/insight/nat-works-both-ways-no-more/before.xml", "utf8");
const FIREWALL = /\n## The firewall\n(.*?)\n## /s;
const [, firewall = ""] = FIREWALL.exec(readFileSync("docs/contributing/flow-analysis.md", "utf8")) ?? [];
const [prose = "", below = ""] = firewall.split("\n### What is not known of devices\n");
const rows = [...below.matchAll(/^\| (.+?) \| (.+?) \| (.+) \|$/gm)].map(([, what = "", assumed = "", option = ""]) => ({
  what,
  assumed,
  option,
}));
const unknown = rows.filter(({ what }) => what.endsWith("[?]"));
const wordIn = (cell: string) => /`([^`:]+):?`/.exec(cell)?.[1];

const device = (inner: string, shared = "") =>
  parseXml(`<config><shared>${shared}</shared><devices><entry name="localhost.localdomain">${inner}</entry></devices></config>`);
const address = (ip: string) => `<address><entry name="h"><ip-netmask>${ip}</ip-netmask></entry></address>`;
const rule = (source: string, action = "<action>allow</action>") =>
  `<security><rules><entry name="r"><source><member>${source}</member></source>${action}</entry></rules></security>`;
const system = (inner: string) => `<vsys><entry name="vsys1">${inner}</entry></vsys>`;
const defaults = (action: string) =>
  `<post-rulebase><default-security-rules><rules><entry name="intrazone-default"><action>${action}</action></entry></rules></default-security-rules>`;

const alone = (tree: ReturnType<typeof device>, options: ReadingOptions = {}) => policiesOf([tree], options)[0]?.[0];
const branch = (tree: ReturnType<typeof parseXml>, options: ReadingOptions = {}) =>
  rulebasesOf([tree], options)
    .find(({ firewalls = [] }) => firewalls.some(({ serial }) => serial === SERIALS.a))
    ?.policies()[0];
const group = `<address-group><entry name="g"><static><member>h</member></static></entry></address-group>`;
const child = `<device-group><entry name="g">${address("10.0.0.1")}<pre-rulebase>${rule("h")}</pre-rulebase></entry></device-group>`;
/** `shared` and the group above all others have different settings for traffic within a zone, if `differs`. */
const twoDefaults = (differs: boolean) =>
  parseXml(MANAGER.replaceAll("<post-rulebase>", defaults("deny")).replace(defaults("deny"), defaults(differs ? "allow" : "deny")));

/** A rule with an FQDN for which the device reported one IPv4 address and nothing about IPv6. */
const resolving = (isWhole: true | undefined, options: ReadingOptions = {}) => {
  const known = new Map([["FQDN a.example", { values: [{ first: 1n, last: 1n }], isWhole }]]);
  const fqdn = `<address><entry name="h"><fqdn>a.example</fqdn></entry></address>`;
  return alone(device(system(`${fqdn}<rulebase>${rule("h")}</rulebase>`)), { ...options, lookUps: { asOf: "", known } });
};

/** A flow to an address that a static translation works both ways for, or to another one. */
const sentTo = (destination: string, options: ReadingOptions = {}): Answer => {
  const [rulebase] = rulebasesOf([parseXml(NAT)], options);
  const [policy] = rulebase?.policies() ?? [];
  const question = { from: [], to: [], source: ["192.0.2.7"], destination: [destination], service: ["tcp/443"], application: [] };
  const path = rulebase === undefined || policy === undefined ? undefined : pathIn(policy, rulebase, question);
  return path && { limits: path.doubts.map((text) => ({ text, doubtful: true })) };
};
const wayBack = [(options: ReadingOptions) => sentTo("203.0.113.25", options), () => sentTo("203.0.113.26")] as const;

type Answer = { readonly limits: readonly { readonly text: string; readonly doubtful: boolean }[] } | undefined;

/** An answer that depends on it, and one that does not. */
const CASES: Readonly<Record<string, readonly [hangs: (options: ReadingOptions) => Answer, not: () => Answer]>> = {
  groupMembers: [
    (options) =>
      alone(device(system(`${address("10.0.0.1")}<rulebase>${rule("g")}</rulebase>`), `${address("10.0.0.2")}${group}`), options),
    () => alone(device(system(`<rulebase>${rule("g")}</rulebase>`), `${address("10.0.0.2")}${group}`)),
  ],
  precedence: [(options) => alone(device(child, address("10.0.0.2")), options), () => alone(device(child))],
  defaultRules: [(options) => branch(twoDefaults(true), options), () => branch(twoDefaults(false))],
  missingIpv6: [(options) => resolving(undefined, options), () => resolving(true)],
  wayBackFrom: wayBack,
  wayBackPlace: wayBack,
  "effect of a rule without an action [?]": [
    () => alone(device(system(`<rulebase>${rule("any", "")}</rulebase>`))),
    () => alone(device(system(`<rulebase>${rule("any")}</rulebase>`))),
  ],
};

const doubts = (answer: Answer) => answer?.limits.filter(({ text }) => text.includes("[?]")).map(({ doubtful }) => doubtful);

describe("unknowns of a firewall", () => {
  it("have a row for each [?] of the page, and no other", () => {
    // The key of the letters, then the sentences that two of the rows are about.
    expect(prose.match(/\[\?\]/g)).toHaveLength(3);
    expect(below.match(/\[\?\]/g)).toHaveLength(unknown.length + 1);
    expect(unknown.length).toBeGreaterThan(3);
  });

  it.each(unknown)("$what: is an option with its default, or the answer reports it", ({ assumed, option }) => {
    if (option === "no option; the answer reports it") return;
    const name = wordIn(option) ?? "";
    expect(ASSUMED).toHaveProperty(name, wordIn(assumed));
    const { reading } = panosSettings.schema.properties as Record<
      string,
      { readonly properties?: Record<string, { enum: readonly string[] }> }
    >;
    const [, other] = [...option.matchAll(/`([^`]+)`/g)].map(([, word]) => word);
    expect(reading?.properties?.[name]?.enum.toSorted()).toEqual([wordIn(assumed), other].toSorted());
  });

  // Whether a firewall receives rules for other targets does not matter for its traffic.
  it.each(unknown.filter(({ option }) => !option.includes("what firewalls have")))(
    "$what: is printed with each answer that hangs on it, whatever is chosen, and with no other",
    ({ what, assumed, option }) => {
      const name = option === "no option; the answer reports it" ? what : (wordIn(option) ?? "");
      const [hangs, not] = CASES[name] ?? expect.fail(`no case of ${name}`);
      const [, other] = [...option.matchAll(/`([^`]+)`/g)].map(([, word]) => word);
      for (const value of [wordIn(assumed), other]) expect(doubts(hangs({ [name]: value }))).toEqual([true]);
      expect(doubts(not())).toEqual([]);
    },
  );
});

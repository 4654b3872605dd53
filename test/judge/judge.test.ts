import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { leaveOut } from "../left-out.js";
import { judge } from "./judge.js";
import { configurations, specificationFiles } from "./sources.js";
import { type Place, readSpecifications, type SpecificationFile } from "./specification.js";

const SAMPLE = 2_000;
const SEED = Number(process.env.PLUMBLINE_JUDGE_SEED ?? 18);

type Judgement = Awaited<ReturnType<typeof judge>>;

/** Sums over all configurations, with the columns of docs/contributing/conformance.md#values-by-the-vendors-specifications. */
function sums(judged: Judgement): Record<"leaves" | "caught" | "missed" | "notWritten" | "refusedAsTheyAre", number> {
  const sum = (of: (each: Judgement[number]) => number): number => judged.reduce((all, each) => all + of(each), 0);
  return {
    leaves: sum((each) => each.judgeable),
    caught: sum((each) => each.caught),
    missed: sum((each) => each.missed.length),
    notWritten: sum((each) => each.notWritten),
    refusedAsTheyAre: sum((each) => each.refusedAsTheyAre),
  };
}

const files = specificationFiles();
const outside = configurations();
const isThere = files !== undefined && outside.length >= 13;
if (!isThere)
  leaveOut(
    "what validate catches of broken public configurations: clones of them and of pan-os-codegen are not there (docs/contributing/testing.md#the-judge)",
  );

describe.skipIf(!isThere)("real configurations, checked with the vendor's specifications", async () => {
  const judged = isThere ? await judge(outside, readSpecifications(files), SAMPLE, SEED) : [];
  const all = sums(judged);
  console.log(
    `judged ${judged.length} configurations, seed ${SEED}:`,
    JSON.stringify(all),
    judged.flatMap(({ missed }) => missed),
  );

  it.each(judged.map((each) => [each.name, each] as const))("have no error unchanged: %s", (_, { alarms }) => {
    expect(alarms).toEqual([]);
  });

  it("are refused if broken, in at least 95 of 100 leaves", () => {
    expect(all.caught + all.missed).toBeGreaterThan(0.7 * SAMPLE);
    expect(all.caught / (all.caught + all.missed)).toBeGreaterThanOrEqual(0.95);
  });

  it("are refused there and nowhere else", () => {
    expect(judged.flatMap(({ bystanders }) => bystanders)).toEqual([]);
  });

  it("were not used while the table was written, for at least a third", () => {
    expect(judged.filter(({ seen }) => !seen).length * 3).toBeGreaterThanOrEqual(judged.length);
  });
});

const leaf = (name: string, type: string, more: object = {}) => ({ name, type, ...more });
const words = (...values: string[]) => ({ spec: { values: values.map((value) => ({ value })) } });
const length = (min: number, max: number) => ({ validators: [{ type: "length", spec: { min, max } }] });
const object = (name: string, ...params: object[]) => leaf(name, "object", { spec: { params } });

/** Has the form of the vendor's specifications, for the configuration below. */
function specification(path: string[], ...params: object[]): SpecificationFile {
  const scopes = [
    ["config", "shared"],
    ["config", "devices", "$device", "vsys", "$vsys"],
  ];
  const parts = { terraform_provider_config: { resource_type: "entry" }, panos_xpath: { path }, spec: { params } };
  return { ...parts, locations: scopes.map((scope) => ({ xpath: { path: scope } })) } as SpecificationFile;
}

const port = object(
  "tcp",
  leaf("port", "string", length(1, 1023)),
  object("override", object("yes", leaf("timeout", "int64", length(1, 604_800)))),
);
const small: Place = readSpecifications([
  specification(["address"], leaf("description", "string", length(0, 1023)), leaf("fqdn", "string", length(1, 255))),
  specification(["service"], leaf("description", "string", length(0, 1023)), object("protocol", port)),
  specification(["tag"], leaf("color", "enum", words("color1", "color2", "color3", "color6")), leaf("comments", "string", length(0, 1023))),
  specification(
    ["rulebase", "security", "rules"],
    leaf("action", "enum", words("deny", "allow", "drop", "reset-client", "reset-server", "reset-both")),
    leaf("rule-type", "enum", words("universal", "intrazone", "interzone")),
    ...["disabled", "log-start", "log-end"].map((name) => leaf(name, "bool")),
    leaf("description", "string", length(0, 1024)),
  ),
]);

const RULES = Array.from(
  { length: 12 },
  (_, index) =>
    `<entry name="r${index}"><from><member>any</member></from><to><member>any</member></to><source><member>any</member></source>
     <destination><member>any</member></destination><service><member>any</member></service><application><member>any</member></application>
     <action>${index % 2 === 0 ? "allow" : "deny"}</action><log-end>yes</log-end><disabled>no</disabled><description>rule ${index}</description></entry>`,
).join("");
const OBJECTS = `<address><entry name="a"><fqdn>a.example.com</fqdn><description>one</description></entry></address>
  <service><entry name="s"><protocol><tcp><port>80,443</port><override><yes><timeout>30</timeout></yes></override></tcp></protocol></entry></service>
  <tag><entry name="t"><color>color6</color><comments>c</comments></entry></tag>`;
const XML = `<config><shared>${OBJECTS}</shared><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1">
  ${OBJECTS}<rulebase><security><rules>${RULES}</rules></security></rulebase></entry></vsys></entry></devices></config>`;
const configuration = { name: "small", seen: true, xml: XML };

describe("a small configuration, checked with specifications of the same form", () => {
  it("has no error, and is refused in every broken leaf", async () => {
    const judged = await judge([configuration], small, 1_000, SEED);
    expect(judged).toMatchObject([{ alarms: [], missed: [], bystanders: [], notWritten: 0, refusedAsTheyAre: 0 }]);
    expect(sums(judged)).toMatchObject({ leaves: 60, caught: 60 });
  });

  it.each(Array.from({ length: 10 }, (_, index) => index))("is refused with only one broken leaf (%i)", async (seed) => {
    expect(await judge([configuration], small, 1, seed)).toMatchObject([{ alarms: [], caught: 1, missed: [], bystanders: [] }]);
  });

  it("is accepted if a leaf without a specification is broken, which the judge detects", async () => {
    const more = readSpecifications([specification(["address"], leaf("fqdn", "enum", words("a.example.com")))]);
    expect(sums(await judge([configuration], more, 10, SEED))).toMatchObject({ caught: 0, missed: 2 });
  });

  it("has a reader that reads the repository's own example", async () => {
    const edge = { name: "edge", seen: true, xml: readFileSync("desired-state/lab/edge.xml", "utf8") };
    expect(await judge([edge], small, 100, SEED)).toMatchObject([{ alarms: [], missed: [], bystanders: [] }]);
  });
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { parse } from "yaml";
import { Path } from "../../src/core/tree/path.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { FLOW_FIELDS, type FlowAssertion, type FlowWords, type PathAssertion, type PathWords } from "../../src/desired/assertions.js";
import type { TargetConfiguration } from "../../src/desired/configuration/configuration.js";
import { DesiredNode } from "../../src/desired/model.js";
import { SourceMap } from "../../src/desired/source-map.js";
import { judgeAssertions, type Versions } from "../../src/reachability/assertions/assertions.js";
import { type InsightWork, workHere } from "../../src/reachability/changes/analysis.js";
import { assertionLines } from "../../src/report/assertions.js";
import { insightLines } from "../../src/report/insight.js";
import { plain } from "../../src/report/style.js";
import { rulebasesOf } from "../../src/targets/panos/policy/policies.js";
import { panosPolicies } from "../../src/targets/panos/policy-role.js";

const CASES = "test/cases/insight";

/** Folders with `before.xml`, `after.xml`, optionally `assert.yaml`, and the expected text in `expected.txt`. */
const goldenCases: readonly string[] = readdirSync(CASES);
/** Cases that take seconds. */
export const heavyCases = goldenCases.filter((name) => name.endsWith("ten-thousand"));
export const quickCases = goldenCases.filter((name) => !heavyCases.includes(name));

export const expectedFile = (name: string): string => join(CASES, name, "expected.txt");
export const expectedText = (name: string): string => readFileSync(expectedFile(name), "utf8");

/** Serializes requests and answers like two processes. Functions and object identity do not survive. */
const sent = <Value>(value: Value): Value => deserialize(serialize(value));
const apart: InsightWork = {
  between: async (question) => sent(await workHere.between(sent(question))),
  judge: async (question) => sent(await workHere.judge(sent(question))),
};

/** The reachability section and the resulting assertions. */
export async function goldenText(name: string): Promise<string> {
  const read = (file: string): string => readFileSync(join(CASES, name, file), "utf8");
  const [before, after] = ["before.xml", "after.xml"].map((file) => parseXml(repeated(read(file))));
  if (before === undefined || after === undefined) throw new Error("there are two versions");
  const [rulebase] = rulebasesOf([before, after]);
  const [one, other] = rulebase?.policies() ?? [];
  if (one === undefined || other === undefined) throw new Error("both are firewalls");
  const stage = await rulebase?.landings?.(true);
  if (stage === "unread") throw new Error("all of it is read");
  const { beside: _, ...scope } = await apart.between({ versions: [one, other], stage });
  const lines = insightLines({ scopes: [{ ...scope, beside: [] }] }, "plan", plain);
  const asserted = existsSync(join(CASES, name, "assert.yaml")) ? await assertedLines(parse(read("assert.yaml")), { before, after }) : [];
  return `${[...lines.slice(1), ...asserted].join("\n")}\n`;
}

/** `<repeat count="200">` repeats its content, with `{n}`, and with `{high}.{low}` as the last bytes of an address. */
function repeated(xml: string): string {
  return xml.replace(/ *<repeat count="(\d+)">\n?(.*?)<\/repeat>\n?/gs, (_, count: string, content: string) =>
    Array.from({ length: Number(count) }, (_each, n) =>
      content
        .replaceAll("{n}", String(n))
        .replaceAll("{high}", String(n >> 8))
        .replaceAll("{low}", String(n & 255)),
    ).join(""),
  );
}

type Said = { readonly name: string; readonly verdict: "allow" | "deny"; readonly some?: boolean } & Partial<FlowWords> & {
    readonly except?: readonly Partial<FlowWords>[];
    readonly path?: Partial<PathWords>;
  };

const ALONE = { read: async () => new Map(), mayMatter: true };

async function assertedLines(said: readonly Said[], versions: Versions): Promise<string[]> {
  const wordsOf = (words: Partial<FlowWords>) =>
    Object.fromEntries(FLOW_FIELDS.map((field) => [field, words[field] ?? []])) as unknown as FlowWords;
  const assertions = said.map((each): FlowAssertion | PathAssertion => {
    const { name, verdict, some = false, except = [], path } = each;
    const of = { name, verdict, description: undefined, strict: false, place: Path.root, origin: -1, acceptsUnknowns: undefined };
    if (path !== undefined) return { ...of, path: { ...wordsOf(path), reaches: path.reaches ?? [], through: undefined } };
    return { ...of, some, flows: wordsOf(each), except: except.map(wordsOf) };
  });
  const root = new DesiredNode("config", undefined, "", [], { origin: -1, prunes: false, declared: false });
  const desired = { target: "edge", root, exclusive: [], allowEmpty: [], ignores: [], assertions, sources: new SourceMap() };
  const configuration = { kind: "panos", name: "edge" } as TargetConfiguration;
  const judged = await judgeAssertions({ role: panosPolicies, desired, configuration, around: ALONE, work: apart }, versions);
  return assertionLines({ assertions: judged }, "plan", plain);
}

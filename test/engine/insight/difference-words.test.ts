import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { insightBetween } from "../../../src/engine/insight/difference-words.js";
import { translatedBetween, withTranslated } from "../../../src/engine/insight/translated.js";
import { insightLines } from "../../../src/report/insight.js";
import { plain } from "../../../src/report/style.js";
import { rulebasesOf } from "../../../src/targets/panos/policy/policies.js";

const CASES = "test/cases/insight";

describe("what becomes reachable between two configurations", () => {
  it.each(readdirSync(CASES))("%s", async (name) => {
    const trees = ["before.xml", "after.xml"].map((file) => parseXml(readFileSync(join(CASES, name, file), "utf8")));
    const [rulebase] = rulebasesOf(trees);
    const [before, after] = rulebase?.policies() ?? [];
    const stage = rulebase?.translation?.();
    if (before === undefined || after === undefined || stage === undefined) throw new Error("both are firewalls");
    const { beside: _, ...scope } = withTranslated(insightBetween(before, after), translatedBetween(stage, [before, after]));
    const lines = insightLines({ scopes: [{ ...scope, beside: [] }] }, "plan", plain);
    await expect(`${lines.slice(1).join("\n")}\n`).toMatchFileSnapshot(join("../../..", CASES, name, "expected.txt"));
  });
});

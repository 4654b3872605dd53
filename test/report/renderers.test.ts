import { Ajv } from "ajv";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { type Format, formats, renderers } from "../../src/report/renderers.js";
import { reportSchema } from "../../src/report/schema.js";
import { plain } from "../../src/report/style.js";
import { outcome, planOf, rules } from "./outcomes.js";

const refused = outcome({
  target: "b",
  plan: planOf({
    meaning: [{ path: rules, message: "deny becomes allow in web" }],
    refusals: [{ guard: "updates", message: "5 of 10 <entries> `change`", path: rules, allow: "--allow updates=50%" }],
    findings: [{ kind: "shadowed", path: rules.entry("web"), message: "an any/any above", origin: 8, refuses: false }],
    foreign: [{ owner: "bob", xpath: "/config", action: "EDIT" }],
  }),
});
const failed = outcome({
  target: "c",
  error: new PlumblineError("tls-untrusted", "no trust", { where: { file: "plumbline.yaml", line: 3, column: 5 }, next: "Set tls.ca." }),
});
const applied = outcome({
  target: "d",
  plan: planOf(),
  applied: { operations: 1, requests: 1, commit: "committed", job: "7", lines: ["ok"], proven: true },
});
const all = [outcome({ plan: planOf() }), refused, failed, applied];

const render = async (format: Format, outcomes = all) => (await renderers[format].load())("plan", outcomes, plain);

describe("every format", () => {
  it.each(formats)("%s holds no secret and ends with a newline", async (format) => {
    const text = await render(format);
    expect(text).not.toContain("hunter2");
    expect(text).toMatch(/[^\n]\n$/);
  });
});

describe("json", () => {
  it("is what its committed schema says", async () => {
    const validate = new Ajv({ strict: true, allErrors: true }).compile(reportSchema);
    validate(JSON.parse(await render("json")));
    expect(validate.errors).toBeNull();
  });

  it("has the exit code of the run and of each target", async () => {
    const report = JSON.parse(await render("json"));
    expect(report.exitCode).toBe(4);
    expect(report.targets.map((target: { exitCode: number }) => target.exitCode)).toEqual([2, 3, 1, 0]);
  });

  it("carries the place of what wants a change", async () => {
    expect(JSON.parse(await render("json")).targets[0].plan.changes[0].source).toEqual({ file: "edge/rules.yaml", line: 3, column: 1 });
  });
});

describe("junit", () => {
  it("is well-formed, with a failure for pending, refused and an error for an error", async () => {
    const xml = await render("junit");
    expect(XMLValidator.validate(xml)).toBe(true);
    const suite = new XMLParser({ ignoreAttributes: false }).parse(xml).testsuites.testsuite;
    expect(suite["@_failures"]).toBe("2");
    expect(suite["@_errors"]).toBe("1");
    expect(suite.testcase).toHaveLength(4);
  });

  it("carries text that XML cannot", async () => {
    const odd = outcome({ error: new PlumblineError("tls-untrusted", "a\u0001<b>&\"'") });
    expect(XMLValidator.validate(await render("junit", [odd]))).toBe(true);
  });
});

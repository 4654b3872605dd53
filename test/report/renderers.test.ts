import { Ajv } from "ajv";
import { XMLValidator } from "fast-xml-parser";
import { parse as parseJunit } from "junit2json";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import type { Command, TargetOutcome } from "../../src/outcome/outcome.js";
import { type Format, formats, renderers } from "../../src/report/renderers.js";
import { reportSchema } from "../../src/report/schema.js";
import { plain } from "../../src/report/style.js";
import { changes, outcome, planOf, rules } from "./outcomes.js";

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
  pushed: [{ serial: "0001", wave: 1, job: "", result: "not pushed", lines: [] }],
});
const all = [outcome({ plan: planOf() }), refused, failed, applied];

const render = async (format: Format, outcomes = all) => (await renderers[format].load())("plan", outcomes, plain);

describe("every format", () => {
  it.each(formats)("%s contains no secret and ends with a newline", async (format) => {
    const text = await render(format);
    expect(text).not.toContain("hunter2");
    expect(text).toMatch(/[^\n]\n$/);
  });
});

describe("json", () => {
  it("matches its committed schema", async () => {
    const validate = new Ajv({ strict: true, allErrors: true }).compile(reportSchema);
    validate(JSON.parse(await render("json")));
    expect(validate.errors).toBeNull();
  });

  it("contains the exit code of the run and of each target", async () => {
    const report = JSON.parse(await render("json"));
    expect(report.exitCode).toBe(4);
    expect(report.targets.map((target: { exitCode: number }) => target.exitCode)).toEqual([2, 3, 1, 0]);
  });

  it("contains the source position of each change", async () => {
    expect(JSON.parse(await render("json")).targets[0].plan.changes[0].source).toEqual({ file: "edge/rules.yaml", line: 3, column: 1 });
  });
});

describe("junit", () => {
  /** As a reader of the field understands it. */
  const read = async (command: Command, outcomes = all) => {
    const all = await parseJunit((await renderers.junit.load())(command, outcomes, plain));
    const suite = all !== undefined && all !== null && "testsuite" in all ? all.testsuite?.[0] : undefined;
    if (suite === undefined) throw new Error("no suite");
    return suite;
  };
  const pending = outcome({ plan: planOf() });

  it("of a plan: pending changes are skipped, refusals are failures, errors are errors, applied changes pass", async () => {
    const { tests, failures, errors, skipped, testcase = [] } = await read("plan");
    expect({ tests, failures, errors, skipped }).toEqual({ tests: 4, failures: 1, errors: 1, skipped: 1 });
    const [open, held, broken, done] = testcase;
    expect(open?.skipped?.[0]?.message).toBe("pending changes");
    expect(open?.["system-out"]?.[0]).toContain("edge/rules.yaml:3");
    expect(open).not.toHaveProperty("failure");
    expect(held?.failure?.[0]).toMatchObject({ type: "refused", message: "5 of 10 <entries> `change`" });
    expect(broken?.error?.[0]).toMatchObject({ type: "tls-untrusted", message: "no trust" });
    expect(Object.keys(done ?? {}).sort()).toEqual(["classname", "name"]);
  });

  it.each(["drift", "audit"] as const)("of a %s: what differs is a failure", async (command) => {
    expect(await read(command, [pending])).toMatchObject({ failures: 1, skipped: 0, testcase: [{ failure: [{ type: "pending" }] }] });
  });

  it("of a run: changes that were not permitted are skipped, remaining changes are failures", async () => {
    expect(await read("reconcile", [pending])).toMatchObject({ failures: 0, skipped: 1 });
    const written: TargetOutcome = { ...applied, plan: planOf({ remaining: changes.slice(0, 1) }) };
    expect(await read("reconcile", [written])).toMatchObject({ failures: 1, skipped: 0 });
  });

  it("has correct counts", async () => {
    for (const command of ["plan", "drift", "reconcile"] as const) {
      const { testcase = [], ...suite } = await read(command);
      const count = (name: "failure" | "error" | "skipped") => testcase.filter((each) => name in each).length;
      expect(suite).toMatchObject({
        tests: testcase.length,
        failures: count("failure"),
        errors: count("error"),
        skipped: count("skipped"),
      });
    }
  });

  it("escapes text that XML cannot contain", async () => {
    const odd = outcome({ error: new PlumblineError("tls-untrusted", "a\u0001<b>&\"'") });
    expect(XMLValidator.validate(await render("junit", [odd]))).toBe(true);
  });
});

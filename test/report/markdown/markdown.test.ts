import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import type { Change } from "../../../src/plan/diff/change.js";
import { renderMarkdown } from "../../../src/report/markdown/markdown.js";
import { changes, desired, outcome, planOf, rules, vsys } from "../outcomes.js";
import { outsideCode } from "./inert.js";

const missing = (name: string, value = "10.0.0.1"): Change => ({
  kind: "missing",
  path: vsys.child("address").entry(name),
  after: desired("entry", name, "", [desired("ip-netmask", undefined, value)]),
});
const extra = (name: string): Change => ({
  kind: "extra",
  path: rules.entry(name),
  before: new TreeNode("entry", name, "", [new TreeNode("action", undefined, "allow")]),
  reason: "closed",
});
const on = (target: string, ...list: Change[]) => outcome({ target, identity: undefined, plan: planOf({ target, changes: list }) });
const quiet = (target: string) => outcome({ target, plan: planOf({ changes: [], operations: [] }) });
const folds = (text: string) => text.match(/<details/g)?.length ?? 0;

describe("a comment about a plan", () => {
  it("is one line without changes", () => {
    expect(renderMarkdown("plan", [quiet("a"), quiet("b")])).toBe("**Plumbline plan**: no changes on 2 targets.\n");
    expect(renderMarkdown("drift", [quiet("a")])).toBe("**Plumbline drift**: no drift on 1 target.\n");
  });

  it("has one open section for one target, and lists targets without changes on one line", () => {
    const text = renderMarkdown("plan", [on("edge", ...changes), quiet("b")]);
    expect(folds(text)).toBe(1);
    expect(text).toContain(
      "<details open><summary><b><code>edge</code></b>: 2 to create · 2 to change · 1 to delete · 1 to reorder</summary>",
    );
    expect(text).toContain("+ web-03   # edge/rules.yaml:3\n+     ip-netmask 10.0.0.3\n");
    expect(text).toMatch(/\nNo changes: `b`\.\n$/);
  });

  it("shows equal changes of many targets once with their names, and others in separate sections", () => {
    const text = renderMarkdown("plan", [
      on("a", missing("common"), missing("same"), missing("only-a")),
      on("b", missing("common"), missing("same")),
      on("c", missing("common"), missing("same"), missing("only-c")),
    ]);
    expect(text.match(/common/g)).toHaveLength(1);
    expect(text).toContain("<b>3 targets</b> <code>a</code>, <code>b</code>, <code>c</code>: 2 to create on each");
    expect(text).toContain("<b><code>a</code></b>: 1 to create");
    expect(folds(text)).toBe(3);
  });

  it("names a few of many targets", () => {
    const text = renderMarkdown(
      "plan",
      Array.from({ length: 1200 }, (_, i) => on(`fw-${i}`, missing("common"))),
    );
    expect(text).toContain("<b>1,200 targets</b> <code>fw-0</code>,");
    expect(text).toContain("and 1,192 more: 1 to create on each");
    expect(text.length).toBeLessThan(1_000);
  });

  it("shows errors, refusals and policy changes first, each once", () => {
    const refusal = { guard: "updates", message: "5 of 10 entries would change", path: rules, allow: "--allow updates=50%" };
    const refused = (target: string) =>
      outcome({
        target,
        plan: planOf({ changes: [missing("x")], refusals: [refusal], meaning: [{ path: rules, message: "deny becomes allow in web-1" }] }),
      });
    const failed = outcome({
      target: "c",
      error: new PlumblineError("tls-untrusted", "no trust", {
        where: { file: "plumbline.yaml", line: 3, target: "c" },
        next: "Set tls.ca.",
      }),
    });
    const lines = renderMarkdown("plan", [refused("a"), refused("b"), failed]).split("\n");
    expect(lines.slice(2, 5)).toEqual([
      "- ⛔ **error** on `c`: no trust (`tls-untrusted`) at `plumbline.yaml:3`. Set `tls.ca.`",
      "- ⛔ **refused: updates** on `a`, `b`: 5 of 10 entries would change To override once: `--allow updates=50%`",
      "- ⚠️ **changes access** on `a`, `b`: deny becomes allow in `web-1`",
    ]);
  });

  it("shows the author of drift, and joins times that differ only in the second", () => {
    const drifted = (target: string, time: string) =>
      outcome({ target, drift: { items: [{ change: extra("x"), attribution: { admin: "mkovacs", time } }], findings: [], pending: [] } });
    expect(renderMarkdown("drift", [drifted("a", "2026/11/21 03:04:11")])).toContain("- x   # by mkovacs at 2026/11/21 03:04:11");
    expect(renderMarkdown("drift", [drifted("a", "2026/11/21 03:04:11"), drifted("b", "2026/11/21 03:04:12")])).toContain(
      "- x   # by mkovacs\n",
    );
  });

  it("counts omitted content, and names its location", () => {
    const many = Array.from({ length: 5000 }, (_, i) => missing(`host-${i}`));
    const text = renderMarkdown("plan", [on("a", ...many), on("b", ...many)]);
    expect(text.length).toBeLessThanOrEqual(60_000);
    const shown = text.match(/^\+ host-/gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(500);
    expect(text).toContain(`**${(2 * (5000 - shown)).toLocaleString("en")} changes are not shown here**`);
    expect(text).toContain("job's output");
  });

  it("gives space to each of several sections", () => {
    const many = (prefix: string) => Array.from({ length: 5000 }, (_, i) => missing(`${prefix}-${i}`));
    const text = renderMarkdown("plan", [on("a", ...many("a")), on("b", ...many("b")), on("c", missing("small"))]);
    expect(text).toContain("+ a-0");
    expect(text).toContain("+ b-0");
    expect(text).toContain("+ small");
  });
});

const hostile = fc.oneof(
  fc.constantFrom("@all", "a`b", "```", "</details>", "<!-- x -->", "[a](http://b)", "| --- |", "\n\n# x", "/merge", "x".repeat(5_000)),
  fc.string({ maxLength: 40 }),
  fc.string({ minLength: 2_000, maxLength: 4_000 }),
);
const plans: fc.Arbitrary<TargetOutcome> = fc
  .record({
    target: hostile,
    names: fc.array(fc.tuple(hostile, hostile), { maxLength: 60 }),
    messages: fc.array(hostile, { maxLength: 40 }),
    failed: fc.boolean(),
  })
  .map(({ target, names, messages, failed }) =>
    outcome({
      target,
      warnings: messages,
      ...(failed ? { error: new PlumblineError("tls-untrusted", messages.join(" "), { next: target, where: { file: target } }) } : {}),
      plan: planOf({
        changes: names.flatMap(([name, value]) => [missing(name, value), extra(name)]),
        refusals: messages.map((message) => ({ guard: "updates", message, path: rules, allow: `--allow updates=${message}` })),
        meaning: messages.map((message) => ({ path: rules, message })),
        findings: messages.map((message) => ({ kind: "shadowed", path: rules.entry(message), message, origin: 8, refuses: false })),
        foreign: messages.map((owner) => ({ owner, xpath: "/config", action: "EDIT" })),
      }),
    }),
  );

describe("any plan", () => {
  it("stays below 60,000 characters, closes every element, and neutralises any text", () => {
    fc.assert(
      fc.property(fc.array(plans, { minLength: 1, maxLength: 30 }), fc.constantFrom("plan", "drift", "reconcile"), (outcomes, command) => {
        const text = renderMarkdown(command, outcomes);
        expect(text.length).toBeLessThanOrEqual(60_000);
        const outside = outsideCode(text);
        expect(outside.match(/<details/g)?.length).toBe(outside.match(/<\/details>/g)?.length);
        const prose = outside.replaceAll(/<code>[^<]*<\/code>|<\/?(?:details(?: open)?|summary|b)>/g, "");
        expect(prose).not.toMatch(/[@<>[\]|\\`]|http|www/);
      }),
      { numRuns: 60 },
    );
  });
});

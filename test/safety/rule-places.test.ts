import { expect, it } from "vitest";
import { type formats, renderers } from "../../src/report/renderers.js";
import { plain } from "../../src/report/style.js";
import { BARE, policy } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

// The place of a new rule decides its effect, so a plan shows it in every format.

/** The lab has the rule `deny-all`. */
async function planned(document: string, format: (typeof formats)[number]): Promise<string> {
  const outcome = await new World(BARE).want(document).plan();
  expect(outcome.error).toBeUndefined();
  return (await renderers[format].load())("plan", [outcome], plain);
}

const top = (document: string): string => document.replace("$position: bottom", "$position: top");

it.each(["text", "markdown", "html", "sarif"] as const)("shows the rule that a new rule follows (%s)", async (format) => {
  const text = await planned(policy({ a: "10.0.0.1" }, "a"), format);
  expect(text).toMatch(/allow\b.*after deny-all/);
});

it.each(["text", "markdown", "html", "sarif"] as const)("shows that a new rule is the first one (%s)", async (format) => {
  expect(await planned(top(policy({ a: "10.0.0.1" }, "a")), format)).toMatch(/allow\b.*at the top/);
});

it("has the place in JSON, and for rules only", async () => {
  const changes = async (document: string) => JSON.parse(await planned(document, "json")).targets[0].plan.changes;
  const follows = (rows: readonly { readonly xpath: string; readonly follows?: string }[]) =>
    rows.map(({ xpath, follows: place }) => [/'([^']*)'\]$/.exec(xpath)?.[1], place]);
  const document = policy({ a: "10.0.0.1" }, "a");
  expect(follows(await changes(document))).toEqual([
    ["a", undefined],
    ["allow", "deny-all"],
  ]);
  expect(follows(await changes(top(document)))).toEqual([
    ["a", undefined],
    ["allow", ""],
  ]);
});

it("counts other new rules of the same plan", async () => {
  const document = policy({ a: "10.0.0.1" }, "a");
  const second = document.replace(/( +- \{ name: )allow(.*\n)$/, "$1allow$2$1second$2");
  expect(await planned(second, "text")).toMatch(/second\b.*after allow/);
});

import { expect, it } from "vitest";
import { allowanceKey, allowedBy, flagsOf, isAllowance } from "../../src/engine/allowance.js";
import { allowancesOf } from "../../src/guards/allow.js";

it("names the flags that override all refusals, or nothing if one cannot be overridden on the page", () => {
  const refusals = [
    { guard: "deletes", allow: "--allow deletes=47%" },
    { guard: "meaning", allow: "--allow meaning" },
    { guard: "assertion", allow: '--allow "assertion=guests stay out"' },
    { guard: "deletes", allow: "--allow deletes=47%" },
  ];
  expect(flagsOf(refusals)).toEqual(['--allow "assertion=guests stay out"', "--allow deletes=47%"]);
  expect(flagsOf([])).toEqual([]);
  for (const other of [
    { guard: "references", allow: undefined },
    { guard: "targets", allow: "--allow targets=40" },
    { guard: "empty-live", allow: '--allow "empty-live=/config"' },
    { guard: "non-descendant", allow: "--allow non-descendant" },
  ])
    expect(flagsOf([...refusals, other])).toBeUndefined();
});

it("reads flags like a run: the larger share wins, places add up", () => {
  const flags = [
    "--allow deletes=9%",
    "--allow deletes=47%",
    '--allow "not-as-left=/config/a"',
    "--allow \"not-as-left=/config/b[@name='x']\"",
    "--allow down",
  ];
  const values = allowedBy(flags);
  expect([...values]).toEqual([
    ["deletes", "47%"],
    ["not-as-left", "/config/a\n/config/b[@name='x']"],
    ["down", ""],
  ]);
  expect(allowancesOf(values).share("deletes")).toBe(0.47);
});

it("is valid for one plan, one set of refusals and a day, and is no approval", () => {
  const key = allowanceKey("d1", ["--allow down"]);
  expect(key).not.toBe(allowanceKey("d1", ["--allow down", "--allow values"]));
  expect(isAllowance({ target: "edge", digest: key, at: 1000 }, "edge", 2000)).toBe(true);
  expect(isAllowance({ target: "edge", digest: key, at: 1000 }, "core", 2000)).toBe(false);
  expect(isAllowance({ target: "edge", digest: key, at: 0 }, "edge", 24 * 3_600_000)).toBe(false);
  expect(isAllowance({ target: "edge", digest: "d1", at: 1000 }, "edge", 2000)).toBe(false);
});

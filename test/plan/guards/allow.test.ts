import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { allowancesOf } from "../../../src/plan/guards.js";

function errorOf(guard: string, value: string): PlumblineError | undefined {
  try {
    allowancesOf(new Map([[guard, value]]));
    return undefined;
  } catch (error) {
    return error as PlumblineError;
  }
}

describe("--allow", () => {
  it("refuses guards that do not exist and names those that do", () => {
    const error = errorOf("delets", "40%");
    expect(error).toBeInstanceOf(PlumblineError);
    expect([error?.code, error?.message]).toEqual(["allow-unknown", 'There is no guard "delets" that --allow could let pass.']);
    expect(error?.next).toContain("deletes");
  });

  it.each([
    ["deletes", ""],
    ["deletes", "40"],
    ["deletes", "101%"],
    ["deletes", "-1%"],
    ["updates", "4o%"],
    ["empty-list", "0"],
    ["empty-list", "3%"],
    ["first-contact", "1.5"],
    ["first-contact", ""],
    ["management", "yes"],
    ["meaning", "1"],
  ])("refuses --allow %s=%s and says the form", (guard, value) => {
    const error = errorOf(guard, value);
    expect(error?.code).toBe("allow-value");
    expect(error?.next).toContain(`--allow ${guard}`);
  });

  it("reads shares and numbers", () => {
    const allow = allowancesOf(
      new Map([
        ["deletes", "12.5%"],
        ["empty-list", "3"],
        ["meaning", ""],
      ]),
    );
    expect([allow.share("deletes"), allow.share("updates"), allow.count("empty-list"), allow.count("first-contact")]).toEqual([
      0.125,
      undefined,
      3,
      0,
    ]);
    expect([allow.has("meaning"), allow.has("management")]).toEqual([true, false]);
  });
});

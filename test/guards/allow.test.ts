import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { allowancesOf } from "../../src/guards/allow.js";

function errorOf(guard: string, value: string): PlumblineError | undefined {
  try {
    allowancesOf(new Map([[guard, value]]));
    return undefined;
  } catch (error) {
    return error as PlumblineError;
  }
}

const FORMS: Readonly<Record<string, string>> = {
  deletes: "=45%",
  updates: "=45%",
  "empty-list": "=3",
  "first-contact": "=3",
  management: "",
  meaning: "",
  "refused-commit": "=0123abcd",
  "not-as-left": "=XPATH",
};

describe("--allow", () => {
  it("refuses unknown guards and lists the known ones", () => {
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
    ["deletes", "50%%"],
    ["deletes", "1.234%"],
    ["deletes", "1000%"],
    ["deletes", " 5%"],
    ["updates", "4o%"],
    ["empty-list", "0"],
    ["empty-list", "3%"],
    ["first-contact", "1.5"],
    ["first-contact", ""],
    ["management", "yes"],
    ["meaning", "1"],
    ["empty-list", "03"],
    ["empty-list", "1234567890"],
    ["empty-list", "x3"],
    ["refused-commit", ""],
    ["refused-commit", "012abc"],
    ["refused-commit", "0123abg"],
    ["refused-commit", "x0123abc"],
    ["refused-commit", "there"],
    ["refused-commit", "hereby"],
    ["refused-commit", "0".repeat(65)],
    ["not-as-left", ""],
    ["not-as-left", "/config/["],
    ["not-as-left", "/"],
    ["not-as-left", "/config/shared\n"],
  ])("refuses --allow %s=%s and says the form", (guard, value) => {
    const error = errorOf(guard, value);
    expect(error?.code).toBe("allow-value");
    expect(error?.message).toBe(`--allow ${guard}${value === "" ? "" : `=${value}`} has no value of the right form.`);
    expect(error?.next).toContain(`Write --allow ${guard}${FORMS[guard]}, or`);
  });

  it.each([
    ["deletes", "100%"],
    ["deletes", "0.25%"],
    ["empty-list", "999999999"],
    ["refused-commit", "0123abc"],
    ["refused-commit", "f".repeat(64)],
    ["refused-commit", "here"],
    ["not-as-left", "/config/shared\n/config/vsys"],
  ])("takes --allow %s=%s", (guard, value) => {
    expect(errorOf(guard, value)).toBeUndefined();
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

  it("reads places, one per line, and none if the guard was not overridden", () => {
    const allow = allowancesOf(new Map([["not-as-left", "/config/shared\n/config/vsys"]]));
    expect(allow.paths("not-as-left").map(String)).toEqual(["/config/shared", "/config/vsys"]);
    expect(allowancesOf(new Map()).paths("not-as-left")).toEqual([]);
  });
});

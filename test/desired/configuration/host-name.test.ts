import { describe, expect, it } from "vitest";
import { readHostNames } from "../../../src/desired/configuration/host-name.js";

describe("names in a variable", () => {
  it("are separated by commas or blanks", () => {
    expect(readHostNames("N", " a.example, b-1.example\tc_2 ,")).toEqual(["a.example", "b-1.example", "c_2"]);
  });

  it.each([undefined, "", "  "])("are not set by %j", (text) => {
    expect(readHostNames("N", text)).toBeUndefined();
  });

  it.each(["https://a.example", "a.example:443", "a.example/x", "*.example", "-a", "a..b"])("cannot be %s", (text) => {
    expect(() => readHostNames("N", `ok.example,${text}`)).toThrow(expect.objectContaining({ code: "option-invalid" }));
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeTemplate, parseTemplate } from "../../src/desired/template.js";

describe("templates", () => {
  it("return any escaped text unchanged", () => {
    const text = fc
      .array(fc.constantFrom("$", "{", "}", "a", "${", "$${", "'", '"', "${keep}"), { maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (value) => {
        expect(parseTemplate(escapeTemplate(value))).toEqual([value]);
      }),
    );
  });

  it("support each kind of reference", () => {
    expect(parseTemplate("a ${env:X} ${cloud:n/e[@name='x}y']/c} ${keep} ${../x} $${no}")).toEqual([
      "a ",
      { kind: "env", argument: "X", text: "${env:X}" },
      " ",
      { kind: "target", target: "cloud", path: "n/e[@name='x}y']/c", text: "${cloud:n/e[@name='x}y']/c}" },
      " ",
      { kind: "keep", text: "${keep}" },
      " ",
      { kind: "local", path: "../x", text: "${../x}" },
      " ${no}",
    ]);
  });

  it("end a reference at its brace if a quote is only an apostrophe", () => {
    expect(parseTemplate("${exec:show it's} x")).toEqual([{ kind: "exec", argument: "show it's", text: "${exec:show it's}" }, " x"]);
  });

  it("report an unclosed reference", () => {
    expect(parseTemplate("ab ${env:X")).toEqual({ unclosedAt: 3 });
  });
});

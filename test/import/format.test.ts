import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatYaml } from "../../src/import/format.js";

function textOf(source: string): string {
  const formatted = formatYaml(source);
  if ("problem" in formatted) throw new Error(formatted.problem);
  return formatted.text;
}

const ROOTS = ["desired-state", "test/fixtures", "test/cases", "deploy", "docs"];
const files = ROOTS.flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => join(root, file)),
);

describe("formatYaml", () => {
  it("writes a canonical form, and keeps order, quotes, comments and blank lines", () => {
    const source = [
      "# head  ",
      "target:   edge",
      "scope:  'vsys1'",
      "",
      "config:",
      "    address:   # what we have",
      "        web: {ip-netmask: 10.0.0.1,tag: [ a,b ]}",
      "",
      '        db: { ip-netmask: "10.0.0.2" }',
      "        # the last",
      "    tag: {}",
      "",
      "",
    ].join("\r\n");
    expect(textOf(source)).toBe(
      [
        "# head",
        "target: edge",
        "scope: 'vsys1'",
        "",
        "config:",
        "  address: # what we have",
        "    web: { ip-netmask: 10.0.0.1, tag: [a, b] }",
        "",
        '    db: { ip-netmask: "10.0.0.2" }',
        "    # the last",
        "  tag: {}",
        "",
      ].join("\n"),
    );
  });

  it("keeps quoted text and intended line breaks", () => {
    const source = `a: "x\\x0Ay ${"long ".repeat(40)}"\nb: 'it''s'\nc: |+\n  lines\n\n  more\nd: |-\n  end\ne: |2+\n   more space\n  less\n`;
    expect(textOf(source)).toBe(source);
  });

  it("does not change invalid YAML, and names the line", () => {
    expect(formatYaml("a: [1\nb: 2\n")).toMatchObject({ problem: expect.any(String) });
    expect(formatYaml("a: 1\n  b: 2\n")).toMatchObject({ line: expect.any(Number) });
  });

  it("is idempotent for every document of this repository", () => {
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) {
      const formatted = formatYaml(readFileSync(file, "utf8"));
      if ("problem" in formatted) continue;
      expect(formatYaml(formatted.text), file).toEqual(formatted);
    }
  });

  it("never changes the meaning of a text, for values of any form in any layout", () => {
    const leaf = fc.oneof(
      fc.constantFrom("yes", "010", "1e3", "~", "null", "'x'", '"y # z"', "10.0.0.0/8", "a b"),
      fc.stringMatching(/^[a-z]{1,8}$/),
    );
    const line = fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), leaf, fc.constantFrom("", "  # why"));
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { minLength: 1, maxLength: 6, selector: ([key]) => key }),
        fc.integer({ min: 1, max: 6 }),
        (rows, step) => {
          const source = `top:\n${rows.map(([key, value, comment]) => `${" ".repeat(step)}${key}:   ${value}${comment}\n`).join("")}`;
          const text = textOf(source);
          expect(text).toBe(
            `top:\n${rows.map(([key, value, comment]) => `  ${key}: ${value}${comment.trim() === "" ? "" : " # why"}\n`).join("")}`,
          );
        },
      ),
    );
  });
});

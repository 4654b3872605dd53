import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatWhere } from "../../src/core/errors.js";

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const codes = new Set(
  files.flatMap((file) =>
    [...readFileSync(join("src", file), "utf8").matchAll(/new PlumblineError\(\s*"([^"]+)"/g)].map((match) => match[1] ?? ""),
  ),
);

describe("every error code", () => {
  it.each([...codes].sort())("%s has a page", (code) => {
    expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    const page = join("docs", "errors", `${code}.md`);
    expect(existsSync(page), `${page} is missing`).toBe(true);
    expect(readFileSync(page, "utf8")).toContain(code);
  });
});

describe("formatWhere", () => {
  it("lists the known places in reading order", () => {
    expect(formatWhere({ file: "a.yaml", line: 3, column: 7, xpath: "/config", target: "edge" })).toBe(
      "a.yaml:3:7 · /config · target edge",
    );
    expect(formatWhere({ file: "a.yaml" })).toBe("a.yaml");
    expect(formatWhere({})).toBe("");
  });
});

import { describe, expect, it } from "vitest";
import { formatWhere } from "../../src/core/errors.js";

describe("formatWhere", () => {
  it("lists the known places in reading order", () => {
    expect(formatWhere({ file: "a.yaml", line: 3, column: 7, xpath: "/config", target: "edge" })).toBe(
      "a.yaml:3:7 · /config · target edge",
    );
    expect(formatWhere({ file: "a.yaml" })).toBe("a.yaml");
    expect(formatWhere({})).toBe("");
  });
});

import { describe, expect, it } from "vitest";
import { FileNames, segment } from "../../src/import/file-name.js";

describe("segment", () => {
  it.each([
    ["address", "address"],
    ["Branch stack", "Branch-stack"],
    ["a/../../b", "a-..-..-b"],
    ["..", "_"],
    [".git", "git"],
    ["Größe 漢字", "Größe-漢字"],
    ['con<>|:?*"', "con-"],
    ["", "_"],
    ["x".repeat(300), "x".repeat(80)],
  ])("%j is %j", (name, expected) => {
    expect(segment(name)).toBe(expected.replace(/-$/, ""));
  });
});

describe("FileNames", () => {
  it("distinguishes owners that differ only in case or special characters", () => {
    const names = new FileNames();
    expect(names.path("a/B", "one")).toBe("a/B");
    expect(names.path("a/b", "two")).toBe("a/b~2");
    expect(names.path("A/B", "three")).toBe("A/B~3");
    expect(names.path("a/B", "one")).toBe("a/B");
    expect(names.path("a/b", "two")).toBe("a/b~2");
  });
});

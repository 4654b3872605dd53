import { execFileSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("the command as it is installed", () => {
  it("is executable and prints the version of the package", () => {
    const { version, bin } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string; bin: { plumbline: string } };
    accessSync(bin.plumbline, constants.X_OK);
    expect(execFileSync(`./${bin.plumbline}`, ["--version"], { encoding: "utf8" })).toBe(`${version}\n`);
  });
});

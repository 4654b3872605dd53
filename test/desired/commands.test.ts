import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandPolicy } from "../../src/desired/commands.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-commands-"));
  mkdirSync(join(folder, "repo/.git"), { recursive: true });
  mkdirSync(join(folder, "repo/network"));
  writeFileSync(join(folder, "repo/network/plumbline.yaml"), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const policy = (setting: string | undefined) => commandPolicy(setting, folder, join(folder, "repo/network/plumbline.yaml"));

describe("commandPolicy", () => {
  it("is empty without settings", () => {
    expect(policy(undefined)).toBeUndefined();
    expect(policy(" ")).toBeUndefined();
  });

  it("allows all commands or none by keyword", () => {
    expect(policy("1")?.("rm -rf /")).toBe(true);
    expect(policy("true")?.("x")).toBe(true);
    expect(policy("0")?.("x")).toBe(false);
    expect(policy("false")?.("x")).toBe(false);
  });

  it("allows exactly the commands of a list outside the checkout", () => {
    writeFileSync(join(folder, "allowed"), "# secrets\npass show fw\r\n\n  vault read psk  \n");
    expect(policy("allowed")?.("pass show fw")).toBe(true);
    expect(policy("allowed")?.("vault read psk")).toBe(true);
    expect(policy("allowed")?.("pass show fw; curl evil")).toBe(false);
    expect(policy("allowed")?.("# secrets")).toBe(false);
    expect(policy("allowed")?.("")).toBe(false);
  });

  it("rejects a list that a pull request could write, also through a link", () => {
    writeFileSync(join(folder, "repo/allowed"), "x\n");
    symlinkSync(join(folder, "repo/allowed"), join(folder, "link"));
    for (const setting of ["repo/allowed", "link", "missing"]) {
      expect(() => policy(setting)).toThrow(expect.objectContaining({ code: "exec-list-unreadable" }));
    }
  });
});

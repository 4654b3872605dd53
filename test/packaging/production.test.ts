import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  dependencies: Record<string, string>;
  scripts: { prepare: string };
  files: string[];
};

describe("an install without development tools", () => {
  it("has every imported package", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const missing = files.flatMap((file) =>
      [...readFileSync(join("src", file), "utf8").matchAll(/^(?:import|export) (?!type)[^;]*?from "([^"]+)"|\bimport\("([^"]+)"\)/gms)]
        .map((match) => match[1] ?? match[2] ?? "")
        .filter((name) => !name.startsWith(".") && !name.startsWith("node:") && !name.startsWith("/"))
        .map((name) =>
          name
            .split("/")
            .slice(0, name.startsWith("@") ? 2 : 1)
            .join("/"),
        )
        .filter((name) => !(name in manifest.dependencies))
        .map((name) => `${file} imports ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it("builds nothing without the tools", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-install-"));
    try {
      expect(execFileSync("sh", ["-c", manifest.scripts.prepare], { cwd: folder, encoding: "utf8" })).toBe("");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

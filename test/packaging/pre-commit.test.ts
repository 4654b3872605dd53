import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

interface Hook {
  readonly id: string;
  readonly name: string;
  readonly entry: string;
  readonly language: string;
  readonly files: string;
  readonly pass_filenames: boolean;
}

it("the hook stops a commit of an invalid desired state, and no other", () => {
  const [hook, ...others] = parse(readFileSync(".pre-commit-hooks.yaml", "utf8")) as Hook[];
  expect(others).toEqual([]);
  expect(hook).toMatchObject({ id: "plumbline-validate", language: "system", pass_filenames: false });
  expect(["network/rules.yaml", "plumbline.yml", "README.md"].filter((file) => new RegExp(hook?.files ?? "").test(file))).toHaveLength(2);
  const folder = mkdtempSync(join(tmpdir(), "plumbline-hook-"));
  try {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "plumbline"), `#!/bin/sh\nexec ${process.execPath} ${resolve("dist/cli.js")} "$@"\n`, { mode: 0o755 });
    const run = (format: number): number | null => {
      writeFileSync(
        join(folder, "plumbline.yaml"),
        `format: ${format}\nowner: us\ndocuments: [d]\ntargets: { box: { kind: memory, file: box.xml } }\n`,
      );
      mkdirSync(join(folder, "d"), { recursive: true });
      writeFileSync(join(folder, "d", "a.yaml"), "target: box\nscope: vsys1\nconfig: { tag: { web: {} } }\n");
      const [command = "", ...words] = (hook?.entry ?? "").split(" ");
      return spawnSync(command, words, { cwd: folder, env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder } }).status;
    };
    expect([run(1), run(9)]).toEqual([0, 1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

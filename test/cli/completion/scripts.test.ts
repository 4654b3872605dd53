import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHELLS, type Shell, scripts } from "../../../src/cli/completion/scripts.js";
import { leaveOut } from "../../left-out.js";

const folder = mkdtempSync(join(tmpdir(), "plumbline-completion-"));
const canary = join(folder, "ran");

beforeAll(() => {
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  mkdirSync(join(folder, "deep/er"), { recursive: true });
  writeFileSync(join(folder, "plumbline.yaml"), "targets: { edge-1: { kind: memory }, edge-2: {} }\n");
  writeFileSync(join(folder, "deep/er/saved-plan.json"), "{}");
  const command = join(folder, "plumbline");
  writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${resolve("dist/cli.js")} "$@"\n`);
  chmodSync(command, 0o755);
  for (const shell of SHELLS) writeFileSync(join(folder, `script.${shell}`), scripts[shell]);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Requests the completion candidates of a line from each shell without a terminal. Each prints one candidate per line. */
const ASK: Readonly<Record<Shell, (words: readonly string[]) => string>> = {
  bash: (words) => `source ../../script.bash
    COMP_WORDS=(${words.map(quoted).join(" ")}); COMP_CWORD=${words.length - 1}
    compopt() { [ "$*" = "-o default" ] && compgen -f -- ${quoted(words.at(-1) ?? "")}; }
    _plumbline; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words) => `compdef() { :; }; _describe() { print -l -- \${(P)2}; }; _files() { print -l -- *; }
    source ../../script.zsh
    words=(${words.map(quoted).join(" ")}); CURRENT=${words.length}; _plumbline`,
  fish: (words) => `source ../../script.fish; complete -C ${quoted(words.join(" "))}`,
};

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

function ask(shell: Shell, line: string): string[] {
  const { stdout, stderr } = spawnSync(shell, [...(shell === "zsh" ? ["-f"] : []), "-c", ASK[shell](line.split(" "))], {
    cwd: join(folder, "deep/er"),
    encoding: "utf8",
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder },
  });
  expect(stderr).toBe("");
  const candidates = stdout.split("\n").map((each) => (shell === "zsh" ? each.replace(/(?<!\\):.*/, "") : each.replace(/\t.*/, "")));
  return [...new Set(candidates)].filter((each) => each !== "").sort();
}

for (const shell of SHELLS) {
  const isThere = ["/usr/bin", "/bin", "/usr/local/bin"].some((place) => existsSync(join(place, shell)));
  if (!isThere) leaveOut(`completion in ${shell}: it is not installed`);
  describe.skipIf(!isThere)(shell, () => {
    it("completes commands, flags, choices, targets of the configuration above, and files", () => {
      expect(ask(shell, "plumbline rec")).toEqual(["reconcile"]);
      expect(ask(shell, "plumbline plan --allow")).toEqual(["--allow", "--allow-exec"]);
      expect(ask(shell, "plumbline plan --format s")).toEqual(["sarif"]);
      expect(ask(shell, "plumbline pause ")).toEqual(["edge-1", "edge-2"]);
      expect(ask(shell, "plumbline apply saved")).toContain("saved-plan.json");
    });

    it("executes nothing of the typed text", () => {
      ask(shell, `plumbline plan --target $(touch\${IFS}${canary})`);
      ask(shell, `plumbline pause \`touch\${IFS}${canary}\``);
      expect(existsSync(canary)).toBe(false);
    });
  });
}

it("each script equals the output of the command", () => {
  for (const shell of SHELLS)
    expect(execFileSync(process.execPath, ["dist/cli.js", "completion", shell], { encoding: "utf8" })).toBe(scripts[shell]);
});

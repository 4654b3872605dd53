import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { afterTest } from "../after-test.js";
import { leaveOut } from "../left-out.js";

interface Step {
  readonly commands: string;
  /** Lines that the commands print, in this order with other lines between them. `…` matches any text. */
  readonly printed: readonly string[];
}

/** The commands of a page, each with the output that the page shows. */
function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)].map(([, kind, text = ""]) => ({ kind, text }));
  return blocks.flatMap(({ kind, text }, index) => {
    if (kind !== "sh") return [];
    const next = blocks[index + 1];
    return [{ commands: text, printed: next?.kind === "text" ? next.text.trimEnd().split("\n") : [] }];
  });
}

const MARK = "--- end of step";

/** The output of each step in one shell. Its background jobs end with it. */
async function run(steps: readonly Step[], folder: string): Promise<string[]> {
  const script = `trap 'kill $(jobs -p) 2>/dev/null' EXIT\n${steps.map(({ commands }) => `${commands}\necho "${MARK}"`).join("\n")}`;
  const environment = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    HOME: folder,
    PLUMBLINE_STATE_DIR: join(folder, "state"),
    GIT_CONFIG_GLOBAL: join(folder, "gitconfig"),
  };
  const shell = spawn("bash", ["-c", `${script}\n`], { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (chunk) => {
      printed += String(chunk);
    });
  await new Promise((done) => shell.once("exit", done));
  return printed.split(`${MARK}\n`);
}

/** A line of the page as a pattern. */
const patternOf = (line: string): RegExp =>
  new RegExp(
    line
      .split("…")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*"),
  );

const hasPrograms = ["bash", "curl"].every((program) => spawnSync(program, ["--version"]).status === 0);
if (!hasPrograms) leaveOut("the commands of the tutorial: bash or curl is not here");

it.skipIf(!hasPrograms)(
  "the commands of the tutorial print the documented output",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-tutorial-"));
    afterTest(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/plumbline"), `#!/bin/sh\nexec '${process.execPath}' '${resolve("dist/cli.js")}' "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(join(folder, "gitconfig"), "[user]\nname = t\nemail = t@example.net\n[init]\ndefaultBranch = main\n");
    cpSync("test/fixtures/edge/lab/edge.xml", join(folder, "running-config.xml"));
    const steps = stepsOf(readFileSync("docs/tutorial.md", "utf8"));
    expect(steps.length).toBeGreaterThan(8);
    const printed = await run(steps, folder);
    expect(printed).toHaveLength(steps.length + 1);
    for (const [index, { printed: wanted }] of steps.entries()) {
      let rest = printed[index] ?? "";
      for (const line of wanted) {
        const found = patternOf(line).exec(rest);
        expect(found, `"${line}" is not in:\n${printed[index]}`).not.toBeNull();
        rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0));
      }
    }
  },
  300_000,
);

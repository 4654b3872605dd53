import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";

export interface PipelineRun {
  readonly code: number;
  /** Both streams of all steps. */
  readonly output: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const HOME = resolve(".");

/** Values of `${{ … }}` in a job of GitHub, in addition to its variables. */
export type Expressions = Readonly<Record<string, string>>;

/** The `run:` steps of `action.yml` as one shell script, each in a shell of its own as the runner starts it. */
export async function runAction(
  folder: string,
  inputs: Expressions,
  github: Expressions,
  environment: Record<string, string>,
): Promise<PipelineRun> {
  const action = parse(readFileSync("action.yml", "utf8")) as { inputs: Record<string, { default?: string }>; runs: { steps: Step[] } };
  const values: Record<string, string> = { "github.action_path": HOME, ...github };
  for (const [name, { default: standard = "" }] of Object.entries(action.inputs))
    values[`inputs.${name}`] = inputs[name] ?? filled(standard, values);
  const steps = action.runs.steps.flatMap(({ name = "", run, env = {} }) => {
    if (run === undefined) return [];
    if (run.includes("${{")) throw new Error(`step ${name} pastes an expression into a script`);
    return [{ run, env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value, values)])) }];
  });
  return await runSteps(folder, steps, environment);
}

/** The scripts of the GitLab job, in one shell. */
export async function runGitlab(folder: string, environment: Record<string, string>): Promise<PipelineRun> {
  const job = (
    parse(readFileSync("ci/gitlab.yml", "utf8")) as Record<
      string,
      { variables: Record<string, string>; before_script: string[]; script: string[] }
    >
  )["plumbline-plan"];
  if (job === undefined) throw new Error("the template has no job");
  return await runSteps(folder, [{ run: [...job.before_script, ...job.script].join("\n"), env: job.variables }], environment);
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, name: string) => values[name] ?? "");
}

async function runSteps(
  folder: string,
  steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[],
  environment: Record<string, string>,
) {
  const work = mkdtempSync(join(tmpdir(), "plumbline-steps-"));
  try {
    const script = steps.map(({ run, env }, i) => {
      writeFileSync(join(work, `step-${i}.sh`), run);
      const words = Object.entries(env).map(([key, value]) => `${key}=${quoted(value)}`);
      return `env ${words.join(" ")} bash --noprofile --norc -eo pipefail ${quoted(join(work, `step-${i}.sh`))}`;
    });
    writeFileSync(join(work, "all.sh"), `set -e\n${script.join("\n")}\n`);
    for (const name of ["output", "summary"]) writeFileSync(join(work, name), "");
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: work,
      GITHUB_OUTPUT: join(work, "output"),
      GITHUB_STEP_SUMMARY: join(work, "summary"),
      ...environment,
    };
    const { code, output } = await new Promise<{ code: number; output: string }>((done) =>
      execFile("bash", [join(work, "all.sh")], { cwd: folder, env }, (error, stdout, stderr) =>
        done({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
      ),
    );
    const outputs = Object.fromEntries(
      readFileSync(join(work, "output"), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split("=", 2) as [string, string]),
    );
    return { code, output, outputs, summary: readFileSync(join(work, "summary"), "utf8") };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A clone of a bare repository in which a pull request is checked out as its merge result. */
export class Checkout {
  readonly folder = mkdtempSync(join(tmpdir(), "plumbline-clone-"));
  readonly #bare = mkdtempSync(join(tmpdir(), "plumbline-bare-"));

  constructor(from: string) {
    execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", this.#bare]);
    execFileSync("git", ["-C", from, "push", "-q", this.#bare, "HEAD:main", "refs/plumbline/*:refs/plumbline/*"]);
    execFileSync("git", ["clone", "-q", this.#bare, this.folder]);
  }

  git(...words: string[]): string {
    return execFileSync("git", ["-C", this.folder, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { encoding: "utf8" });
  }

  /** Commits on a branch and merges it into main without moving main, like the merge result of a code host. */
  proposeChange(file: string, change: (text: string) => string): void {
    this.git("checkout", "-q", "-B", "feature", "origin/main");
    const path = join(this.folder, file);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, change(existsSync(path) ? readFileSync(path, "utf8") : ""));
    this.git("add", ".");
    this.git("commit", "-q", "-m", "change");
    this.git("checkout", "-q", "--detach", "origin/main");
    this.git("merge", "-q", "--no-ff", "-m", "merge", "feature");
  }

  close(): void {
    for (const folder of [this.folder, this.#bare]) rmSync(folder, { recursive: true, force: true });
  }
}

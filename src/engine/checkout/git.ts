import { spawn } from "node:child_process";
import { configuredDrivers, findRepository, type Repository, repositoryIn, SAFE_SETTINGS, withoutDrivers } from "./repository.js";

export interface GitResult {
  /** Exit code of the program: 127 if there is no git program, 124 if it was killed after a timeout. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the git program in one folder. Never prompts and never throws: callers check the exit code. */
export type Git = (args: readonly string[], input?: string | Uint8Array) => Promise<GitResult>;

export interface GitOptions {
  /** Added to the environment of this process. An undefined value removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Milliseconds after which git and its child processes are killed. No limit if undefined. */
  readonly timeout?: number | undefined;
  /** Milliseconds without output after which git is killed. For work of unknown length, such as a first fetch. */
  readonly silence?: number | undefined;
  /** Kills git when aborted. */
  readonly stop?: AbortSignal | undefined;
}

const TIMED_OUT = 124;
const QUIET = { GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", GIT_PAGER: "cat", GIT_EDITOR: ":", LC_ALL: "C" };
/** Variables that a git hook sets for its child processes. They name another repository. */
const NOT_INHERITED = { GIT_DIR: undefined, GIT_COMMON_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined };

/** Subcommands that read or write files of the working tree and therefore apply `.gitattributes` of the commit. */
const APPLIES_ATTRIBUTES = new Set("add checkout commit clean diff merge read-tree revert stash status worktree".split(" "));
/** Subcommands that may start an external diff program. */
const SHOWS_DIFFS = new Set(["diff", "log", "show"]);

/**
 * Returns git bound to `folder`. Every git process of Plumbline is started here.
 *
 * Only a `.git` in `folder` or above it is used, and it is passed explicitly: git's own search would accept a folder of a
 * commit that looks like a bare repository and obey its configuration. Hooks, file system monitors, filters, external diff
 * programs and merge drivers never run, because a commit may select or contain them. Locks that git can do without are not
 * taken, so that a user can commit at the same time.
 */
export function gitIn(folder: string, options: GitOptions = {}): Git {
  return async (args, input) => {
    const at = subcommandAt(args);
    const subcommand = args[at] ?? "";
    // A new repository belongs into the folder, even if a repository surrounds it.
    const repository = subcommand === "init" ? repositoryIn(folder) : findRepository(folder);
    const prefix = [...SAFE_SETTINGS.flatMap((setting) => ["-c", setting]), ...repository.arguments];
    if (repository.isOfAnotherUser) {
      const refusal = await refusalByGit(repository, options);
      if (refusal !== undefined) return refusal;
    }
    if (APPLIES_ATTRIBUTES.has(subcommand)) {
      const found = await start(folder, [...prefix, ...configuredDrivers], undefined, options);
      prefix.push(...withoutDrivers(found.stdout));
    }
    const plain = SHOWS_DIFFS.has(subcommand) ? ["--no-ext-diff", "--no-textconv"] : [];
    return await start(folder, [...prefix, ...args.slice(0, at + 1), ...plain, ...args.slice(at + 1)], input, options);
  };
}

/** Git skips its check of the owner if it is given `--git-dir`, so the check is made by a call without it. */
async function refusalByGit({ root }: Repository, options: GitOptions): Promise<GitResult | undefined> {
  const settings = SAFE_SETTINGS.flatMap((setting) => ["-c", setting]);
  const result = await start(root ?? "/", [...settings, "rev-parse", "--git-dir"], undefined, options);
  return result.code === 0 ? undefined : result;
}

/** Index of the subcommand, after global options such as `-c name=value`. */
function subcommandAt(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-") === true) at += args[at] === "-c" || args[at] === "-C" ? 2 : 1;
  return at;
}

function start(
  folder: string,
  args: readonly string[],
  input: string | Uint8Array | undefined,
  { environment = {}, timeout, silence, stop }: GitOptions,
): Promise<GitResult> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...NOT_INHERITED, ...QUIET, ...environment };
    // A process group of its own, so that ssh and credential helpers are killed as well.
    const detached = (timeout ?? silence) !== undefined || stop !== undefined;
    const child = spawn("git", args, { cwd: folder, env, stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"], detached });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let timedOut = false;
    const end = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        child.kill("SIGKILL");
      }
    };
    const endLate = (): void => {
      timedOut = true;
      end();
    };
    const timer = timeout === undefined ? undefined : setTimeout(endLate, timeout);
    const quiet = silence === undefined ? undefined : setTimeout(endLate, silence);
    const settle = (result: GitResult): void => {
      clearTimeout(timer);
      clearTimeout(quiet);
      stop?.removeEventListener("abort", end);
      resolve(result);
    };
    stop?.addEventListener("abort", end, { once: true });
    child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      quiet?.refresh();
      stderr.push(chunk);
    });
    child.stdin?.on("error", () => undefined);
    child.on("error", (error) => settle({ code: 127, stdout: "", stderr: error.message }));
    child.on("close", (code) => {
      const errors = Buffer.concat(stderr).toString("utf8");
      settle({
        code: timedOut ? TIMED_OUT : (code ?? 128),
        stdout: Buffer.concat(stdout).toString("utf8"),
        stderr: timedOut ? `${errors}\n${timeoutMessage(timeout, silence)}` : errors,
      });
    });
    child.stdin?.end(input);
    if (stop?.aborted === true) end();
  });
}

function timeoutMessage(timeout: number | undefined, silence: number | undefined): string {
  const seconds = Math.ceil((timeout ?? silence ?? 0) / 1000);
  return timeout === undefined ? `git printed no output for ${seconds} s and was stopped` : `git did not finish within ${seconds} s`;
}

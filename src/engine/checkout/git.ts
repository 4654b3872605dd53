import { spawn } from "node:child_process";

export interface GitResult {
  /** Exit code of the program; 127 when there is no git program, 124 when it was ended for taking too long. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the git program in one folder. Never asks a person, never throws: callers judge the exit code. */
export type Git = (args: readonly string[], input?: string | Uint8Array) => Promise<GitResult>;

export interface GitOptions {
  /** Laid over the process's own; undefined takes a variable away. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Milliseconds after which the program and what it started are ended; it may run for ever when undefined. */
  readonly timeout?: number | undefined;
  /** The same, counted anew whenever it says something: for work whose length nobody knows, such as a first fetch. */
  readonly silence?: number | undefined;
  /** Ends the program when aborted. */
  readonly stop?: AbortSignal | undefined;
}

const TIMED_OUT = 124;
const QUIET = { GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" };
const NO_INHERITED_REPOSITORY = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined };

/**
 * Git bound to `folder`, in plain English, without prompts, deaf to a repository named by the environment (a hook sets one), and without locks that it
 * can do without: somebody may be about to commit there.
 */
export function gitIn(folder: string, { environment = {}, timeout, silence, stop }: GitOptions = {}): Git {
  return (args, input) =>
    new Promise((resolve) => {
      const env = { ...process.env, ...NO_INHERITED_REPOSITORY, ...QUIET, ...environment };
      // A group of its own where it may have to be ended: git leaves ssh or a helper behind otherwise.
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
        const said = Buffer.concat(stderr).toString("utf8");
        settle({
          code: timedOut ? TIMED_OUT : (code ?? 128),
          stdout: Buffer.concat(stdout).toString("utf8"),
          stderr: timedOut ? `${said}\n${lateness(timeout, silence)}` : said,
        });
      });
      child.stdin?.end(input);
      if (stop?.aborted === true) end();
    });
}

function lateness(timeout: number | undefined, silence: number | undefined): string {
  const seconds = Math.ceil((timeout ?? silence ?? 0) / 1000);
  return timeout === undefined ? `git has said nothing for ${seconds} s and was ended` : `git did not end within ${seconds} s`;
}

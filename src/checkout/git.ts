import { spawn } from "node:child_process";

export interface GitResult {
  /** Exit code of the program; 127 when there is no git program. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the git program in one folder. Never asks a person, never throws: callers judge the exit code. */
export type Git = (args: readonly string[], input?: string) => Promise<GitResult>;

const NO_INHERITED_REPOSITORY = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined };

/** Git bound to `folder`, in plain English, without prompts, and deaf to a repository named by the environment (a hook sets one). */
export function gitIn(folder: string): Git {
  return (args, input) =>
    new Promise((resolve) => {
      const env = { ...process.env, ...NO_INHERITED_REPOSITORY, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
      const child = spawn("git", args, { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"] });
      const stdout: Buffer[] = [];
      const stderr: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
      child.stdin.on("error", () => undefined);
      child.on("error", (error) => resolve({ code: 127, stdout: "", stderr: error.message }));
      child.on("close", (code) =>
        resolve({ code: code ?? 128, stdout: Buffer.concat(stdout).toString("utf8"), stderr: Buffer.concat(stderr).toString("utf8") }),
      );
      child.stdin.end(input ?? "");
    });
}

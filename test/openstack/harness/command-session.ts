import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Run } from "./run.js";

const sessions = new Map<string, CommandSession>();

/** The `openstack` command, loaded once. Each call is a fork of it. It ends with the process that started it. */
export class CommandSession {
  readonly #program: ChildProcessWithoutNullStreams;
  readonly #waiting: { readonly resolve: (run: Run) => void; readonly reject: (reason: Error) => void }[] = [];

  /** Shared by all tests of this process. The program is `openstack-session` in the state folder of the services. */
  static of(program: string): CommandSession {
    const session = sessions.get(program) ?? new CommandSession(program);
    sessions.set(program, session);
    return session;
  }

  private constructor(program: string) {
    const { PATH = "", HOME = "" } = process.env;
    this.#program = spawn(program, { stdio: "pipe", env: { PATH, HOME } });
    let err = "";
    this.#program.stderr.on("data", (data) => {
      err += data;
    });
    createInterface(this.#program.stdout).on("line", (line) => this.#waiting.shift()?.resolve(JSON.parse(line)));
    this.#program.once("error", (error) => this.#fail(error));
    this.#program.once("close", (code) => {
      sessions.delete(program);
      this.#fail(new Error(`${program} ended with ${code}: ${err}`));
    });
  }

  /** Runs `openstack` with these arguments, one command after another. `environment` is added to that of the services. */
  run(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<Run> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#program.stdin.write(`${JSON.stringify({ words, environment })}\n`);
    });
  }

  #fail(reason: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }
}

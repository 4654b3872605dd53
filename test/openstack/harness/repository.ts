import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { confirmed } from "../../confirmed.js";
import type { Rig } from "./rig.js";
import { type Run, run, runInProcess } from "./run.js";

/** PLUMBLINE_CLI selects another build, such as release/package/dist/cli.js. */
const COMMAND = resolve(process.env.PLUMBLINE_CLI ?? "dist/cli.js");

export const CONFIGURATION = `format: 1
owner: conformance
documents: [cloud]
targets:
  cloud: { kind: openstack, cloud: lab, mode: enforce }
`;

/** A document of the target `cloud` with this below `config:`. */
export function document(config: string): string {
  const body = config.replace(/^\n/, "").trimEnd();
  return `target: cloud\nscope: project\nconfig:\n${body.replace(/^/gm, "  ")}\n`;
}

/** A checkout with its own state folder, and the remote that it pushes to. Removed after the test. */
export class Repository {
  readonly folder: string;
  readonly #top: string;
  readonly #rig: Rig;
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(top: string, name: string, rig: Rig, environment: Readonly<Record<string, string>>) {
    this.#top = top;
    this.folder = join(top, name);
    this.#rig = rig;
    this.#environment = environment;
  }

  /** A repository whose only target is the rig's project, with these documents in it. */
  static create(rig: Rig, documents: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}): Repository {
    const top = mkdtempSync(join(tmpdir(), "plumbline-conformance-"));
    onTestFinished(() => rmSync(top, { recursive: true, force: true }));
    const remote = join(top, "remote.git");
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", remote]);
    execFileSync("git", ["clone", "-q", remote, join(top, "first")], { stdio: "pipe" });
    const repository = new Repository(top, "first", rig, environment);
    repository.git("checkout", "-q", "-B", "main");
    repository.write({ "plumbline.yaml": CONFIGURATION, ...documents });
    return repository;
  }

  /** Writes, commits and pushes one document of the cloud, with this text below `config:`. */
  declare(config: string, name = "cloud/main.yaml"): void {
    this.write({ [name]: document(config) });
  }

  /** Writes files, commits and pushes them. An undefined text removes the file. */
  write(files: Readonly<Record<string, string | undefined>>): void {
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.folder, name);
      mkdirSync(dirname(file), { recursive: true });
      if (text === undefined) rmSync(file);
      else writeFileSync(file, text);
    }
    this.git("add", "-A");
    this.git("commit", "-q", "-m", `write ${Object.keys(files).join(", ")}`);
    this.git("push", "-q", "origin", "main");
  }

  /** A shallow clone of the remote on an empty state folder, as a new CI job has it. */
  freshClone(name: string): Repository {
    execFileSync("git", ["clone", "-q", "--depth", "1", `file://${join(this.#top, "remote.git")}`, join(this.#top, name)]);
    return new Repository(this.#top, name, this.#rig, this.#environment);
  }

  git(...words: readonly string[]): void {
    execFileSync("git", ["-C", this.folder, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { stdio: "pipe" });
  }

  /** Runs a command on this checkout: on the real services the built one, on the lab its source. Its environment only contains PATH of the caller's. */
  plumbline(...words: readonly string[]): Promise<Run> {
    return this.#plumbline(words);
  }

  /** Runs the command. Once its progress contains `said`, runs an action before it ends. */
  async plumblineUntil(said: string, then: () => Promise<unknown>, ...words: readonly string[]): Promise<Run> {
    let done: Promise<unknown> | undefined;
    const ended = await this.#plumbline(words, (text) => {
      if (text.includes(said)) done ??= then();
    });
    if (done === undefined) throw new Error(`it never said ${said}: ${ended.err}${ended.out}`);
    await done;
    return ended;
  }

  #plumbline(words: readonly string[], onError?: (text: string) => void): Promise<Run> {
    const environment = {
      PATH: process.env.PATH ?? "",
      HOME: this.folder,
      PLUMBLINE_STATE_DIR: `${this.folder}-state`,
      OS_CLIENT_CONFIG_FILE: this.#rig.cloudsFile,
      NO_COLOR: "1",
      // Shared compile cache of a packaged command.
      XDG_CACHE_HOME: resolve("node_modules/.cache"),
      ...this.#environment,
    };
    if (this.#rig.runsInProcess) return runInProcess(confirmed(words), environment, this.folder, onError);
    return run(process.execPath, [COMMAND, ...confirmed(words)], environment, this.folder, onError);
  }
}

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../../src/cli/context.js";
import { runCli } from "../../src/cli/program.js";
import { type ManualClock, type RunningLab, startLab } from "../../src/lab/lab.js";
import { confirmed } from "../confirmed.js";
import { madeOnce } from "../made-once.js";
import { oneCertificate } from "../one-certificate.js";

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A checkout of the example in a repository of its own, and a lab firewall that it speaks of. */
export interface CliWorld {
  readonly folder: string;
  readonly lab: RunningLab;
  run(line: string, environment?: Readonly<Record<string, string>>): Promise<Run>;
  runWords(words: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Run>;
  /** Stops the run as soon as it has printed this. */
  runUntil(line: string, printed: RegExp): Promise<Run>;
  /** Runs at a terminal where a person answers a question with this text. `before` runs between question and answer. */
  runAtTerminal(line: string, typed: string, before?: () => Promise<unknown>): Promise<Run>;
  /** Records everything in the checkout. */
  commit(message: string): void;
  close(): Promise<void>;
}

function git(folder: string, ...words: string[]): void {
  execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words]);
}

function commit(folder: string, message: string): void {
  git(folder, "add", "desired-state");
  git(folder, "commit", "-q", "-m", message);
}

const copyExample = madeOnce((folder) => {
  cpSync("test/fixtures/edge", join(folder, "desired-state"), { recursive: true });
  git(folder, "init", "-q");
  commit(folder, "first");
});

/** If `clock` is given, the firewall uses it, and every wait advances it, so that no test waits. */
export async function openWorld(configFile = "test/fixtures/edge/lab/edge.xml", clock?: ManualClock): Promise<CliWorld> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-cli-"));
  const devices = [{ name: "edge", configFile, jobDuration: 0, strict: true }];
  const lab = await startLab({ devices, certificate: await oneCertificate(), ...(clock && { clock }) });
  copyExample(folder);
  writeFileSync(join(folder, "ca.pem"), lab.caPem);
  const runWords = async (
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    terminal?: ReturnType<NonNullable<Context["stdin"]>>,
    until?: RegExp,
  ): Promise<Run> => {
    const stop = new AbortController();
    const read = (text: string): string => {
      if (until?.test(text) === true) stop.abort();
      return text;
    };
    const isTTY = terminal !== undefined;
    let out = "";
    let err = "";
    const context: Context = {
      environment: {
        HOME: folder,
        PATH: process.env.PATH,
        PLUMBLINE_STATE_DIR: join(folder, "state"),
        PLUMBLINE_TARGET_EDGE_URL: lab.device.url,
        PLUMBLINE_TARGET_EDGE_CA: join(folder, "ca.pem"),
        PLUMBLINE_USER: "plumbline",
        PLUMBLINE_PASSWORD: "plumbline",
        ...environment,
      },
      folder,
      stdin: terminal && (() => terminal),
      stdout: { isTTY, write: (text) => (out += read(text)) },
      stderr: { isTTY, write: (text) => (err += read(text)) },
      now: () => new Date(),
      stop: stop.signal,
      sleep: clock && ((milliseconds) => clock.wait(milliseconds)),
    };
    const code = await runCli(words, context);
    return { code, out, err };
  };
  return {
    folder,
    lab,
    runWords,
    run: (line, environment) => runWords(confirmed(line.split(" ")), environment),
    runUntil: (line, printed) => runWords(line.split(" "), {}, undefined, printed),
    runAtTerminal: (line, typed, before) => {
      const typing = async function* () {
        await before?.();
        yield typed;
      };
      return runWords(line.split(" "), { NO_COLOR: "1" }, Object.assign(typing(), { isTTY: true }));
    },
    commit: (message) => commit(folder, message),
    close: async () => {
      await lab.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

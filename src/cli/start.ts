import { existsSync } from "node:fs";
import nodeModule from "node:module";
import { dirname, join } from "node:path";
import { setV8Flag } from "../core/v8-flags.js";
import { cacheFolder } from "./cache-folder.js";
import { runCompiled } from "./compiled-script.js";

/** Digest of the script beside this one that is the rest of the program, put here by `packaging/package.mjs`; else the rest is as the compiler made it. */
declare const PACKED: string | undefined;

type Processes = typeof import("./processes.js").processes;

/** Keeps what V8 made of the packages that are installed beside the program, where Node can (22.8 on). It would make all folders above, too. */
function keepCompiledPackages(folder: string): void {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: (folder: string) => unknown };
  if (existsSync(dirname(folder))) enableCompileCache?.(folder);
}

/** Milliseconds: most commands have done most of their work by then. */
const HURRIED = 300;

/**
 * V8 optimizes what is called often, on other threads, and a process that is over soon gets little of that back: a change of one of 1,000 objects takes a quarter
 * less of a processor where V8 waits eight times as long, a plan of 60,000 up to a twentieth more (bench/RESULTS.md#a-small-change). From Node 22 on it waits longer of itself.
 */
function optimizeLater(): void {
  const usual = setV8Flag("interrupt-budget", 540_672);
  setTimeout(usual, HURRIED).unref();
}

/** True in a process that the agent forked for this (docs/adr/0033-commits-are-loaded-apart.md); nobody types these words. */
function isForkedTo(word: string | undefined): word is "load-commit" | "work-out-insight" {
  return (word === "load-commit" || word === "work-out-insight") && process.send !== undefined;
}

/** What is kept of a run is for runs that do the same: who asks for help calls next to nothing. */
function useOf([word, ...others]: readonly string[]): string {
  if (word === undefined || !/^[a-z][a-z-]*$/.test(word)) return "other";
  return others.some((flag) => flag === "--help" || flag === "-h") ? "help" : word;
}

async function processesOf(folder: string, use: string): Promise<Processes> {
  if (typeof PACKED === "undefined") return (await import("./processes.js")).processes;
  const file = join(__dirname, "plumbline.js");
  return (runCompiled({ file, digest: PACKED, folder, use }) as { readonly processes: Processes }).processes;
}

/** What a process is once it is known that it is more than a question for the version. @returns its exit code */
export async function start(argv: readonly string[], stop: AbortSignal): Promise<number> {
  const [word] = argv;
  const folder = cacheFolder(process.env);
  if (isForkedTo(word)) {
    await (await processesOf(folder, word))[word]();
    return 0;
  }
  keepCompiledPackages(folder);
  const processes = await processesOf(folder, useOf(argv));
  const runCli = await processes.command();
  return await runCli(argv, {
    environment: process.env,
    folder: process.cwd(),
    stdin: () => process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => new Date(),
    stop,
    loaded: optimizeLater,
  });
}

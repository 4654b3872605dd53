import { type ChildProcess, fork } from "node:child_process";
import { PlumblineError, PlumblineErrors } from "../../core/errors.js";
import { throwIfStopped } from "../../core/interrupted.js";
import type { CommitToLoad } from "../load-commit.js";
import type { CommitLoader, LoadedTargets, Since } from "./loader.js";
import { errorOf, type LoaderWord, type LoadRequest, type OwnsAnswer, plainError } from "./messages.js";

export interface LoadLimits {
  /** Maximum milliseconds per commit. */
  readonly time: number;
  /** Maximum MiB of the process that loads a commit. */
  readonly memory: number;
  /** Maximum milliseconds of processor time for the files that the agent reads at a visit. */
  readonly visit: number;
}

export interface LoadProcessOptions {
  /** JavaScript file that calls `serveLoading` when it is started with `words`. */
  readonly program: string;
  readonly words?: readonly string[];
  readonly limits: LoadLimits;
  readonly stop: AbortSignal;
}

/** Maximum number of characters that are kept from the error output of the process. */
const LAST_WORDS = 4_096;
/** Additional time before the process ends itself, so that the parent reports the timeout first. */
const GRACE = 5_000;

/**
 * Loads each commit in a separate process (docs/contributing/decisions.md#27-the-agent-loads-a-commit-in-a-separate-process), so that a commit cannot stop the agent. Throws the
 * errors of a loader, `commit-too-heavy` (refused) at a limit, `commit-load-broke` if the process ends for another reason, and
 * `interrupted`.
 */
export function loadInProcess({ program, words = [], limits, stop }: LoadProcessOptions): CommitLoader {
  return async (wanted, since) => {
    throwIfStopped(stop);
    const child = fork(program, words, {
      execArgv: [`--max-old-space-size=${limits.memory}`],
      env: {},
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let isLate = false;
    const end = (): boolean => child.kill("SIGKILL");
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, limits.time);
    stop.addEventListener("abort", end, { once: true });
    try {
      const request = requestOf(wanted, since, { patience: limits.time + GRACE, visit: limits.visit });
      const ended = await outcomeOf(child, request, wanted.owns);
      throwIfStopped(stop);
      if ("word" in ended) return understand(ended.word);
      const { commit } = wanted;
      if (isLate) throw tooHeavy(commit, `takes longer to load than ${Math.round(limits.time / 1000)} s`);
      if (/out of memory|Allocation failed/.test(ended.lastWords))
        throw tooHeavy(commit, `needs more memory to load than ${limits.memory} MiB`);
      throw broke(commit, ended.how);
    } finally {
      clearTimeout(timer);
      stop.removeEventListener("abort", end);
      end();
    }
  };
}

function requestOf(
  { kinds: _, owns: __, ...wanted }: CommitToLoad,
  since: Since | undefined,
  bounds: Pick<LoadRequest, "patience" | "visit">,
): LoadRequest {
  if (since === undefined) return { wanted, since, ...bounds };
  const { before, changed, folder } = since;
  const { commit, author, parsed, targets } = before;
  return { wanted, since: { changed, folder, before: { commit, author, targets, configuration: parsed.source.text } }, ...bounds };
}

type Final = Exclude<LoaderWord, { kind: "owns" }>;
type Ended = { readonly word: Final } | { readonly how: string; readonly lastWords: string };

function outcomeOf(child: ChildProcess, request: LoadRequest, owns: CommitToLoad["owns"]): Promise<Ended> {
  return new Promise((resolve) => {
    let lastWords = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      lastWords = (lastWords + text).slice(-LAST_WORDS);
    });
    child.on("message", (word: LoaderWord) => {
      if (word.kind !== "owns") return resolve({ word });
      const answer = (owns: OwnsAnswer["owns"]): void => {
        const message: OwnsAnswer = { id: word.id, owns };
        if (child.connected) child.send(message, () => undefined);
      };
      owns(...word.question).then(answer, (error: unknown) => answer(plainError(error)));
    });
    child.once("error", (error) => resolve({ how: error.message, lastWords }));
    // "close" comes after the last output. "exit" may come before it.
    child.once("close", (code, signal) => resolve({ how: signal ?? `exit ${code}`, lastWords }));
    child.send(request, () => undefined);
  });
}

function understand(word: Final): LoadedTargets {
  if (word.kind === "loaded") return { targets: word.targets, affected: word.affected };
  const errors = word.errors.map(errorOf);
  const [first] = errors;
  throw word.several || first === undefined ? new PlumblineErrors(errors) : first;
}

function tooHeavy(commit: string, what: string): PlumblineError {
  return new PlumblineError("commit-too-heavy", `Commit ${commit.slice(0, 12)} ${what}.`, {
    next: "Push a smaller commit, or raise agent.source.loadTime or loadMemory.",
    severity: "refused",
  });
}

function broke(commit: string, how: string): PlumblineError {
  return new PlumblineError("commit-load-broke", `Commit ${commit.slice(0, 12)} was not loaded: the process that did ended (${how}).`, {
    next: "Check the free memory of the machine. The agent retries with the next fetch.",
    severity: "refused",
  });
}

import { fork } from "node:child_process";
import { join } from "node:path";
import { PlumblineError, PlumblineErrors } from "../core/errors.js";
import { interrupted, throwIfStopped } from "../core/interrupted.js";
import type { AccessWords } from "../outcome/access.js";
import { inWorktree } from "../pull-request/propose/branch.js";
import { errorOf, type PlainError, plainError } from "./loading/messages.js";
import type { AccessView } from "./page/view.js";

/** Access request of a user of the page. */
export interface AccessQuestion {
  /** Undefined: the targets on the path of the flow. */
  readonly target: string | undefined;
  readonly request: AccessWords;
  readonly reason: string;
  readonly requester: string;
  /** `yyyy-mm-dd`. */
  readonly until: string | undefined;
  /** Number of the design to use, from 1. */
  readonly choose: number;
  readonly acceptExcess: boolean;
  /** Digest of the answer whose edit is proposed. Undefined: only answers. */
  readonly propose: string | undefined;
}

/** Settings of the agent that the process needs. */
interface AccessSettings {
  readonly state?: string;
  readonly timeout?: number;
  readonly allowExec?: boolean;
  readonly ledger?: string;
  /** Target branch of pull requests. Undefined: the default branch of the code host. */
  readonly base: string | undefined;
}

/** Message to the process. */
export interface AccessTask {
  readonly settings: AccessSettings;
  readonly question: AccessQuestion;
  /** Absolute path of `plumbline.yaml` in a working tree of its own. */
  readonly configurationFile: string;
  readonly commit: string;
}

export interface AccessProcessOptions {
  /** JavaScript file that calls `serveAccess` when it is started with `words`. */
  readonly program: string;
  readonly words: readonly string[];
  readonly settings: AccessSettings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Current folder of the process. */
  readonly folder: string;
  readonly stop: AbortSignal;
  /** Milliseconds for an answer, and MiB of the process. */
  readonly limits?: { readonly time: number; readonly memory: number };
}

/** Commit to answer about. `file`: `plumbline.yaml`, relative to the repository. */
interface AccessSource {
  readonly repository: string;
  readonly file: string;
  readonly commit: string;
}

const LIMITS = { time: 120_000, memory: 2048 };

type AccessReply = { readonly view: AccessView } | { readonly error: PlainError };

/**
 * Answers an access request in a separate process, which reads the target and the documents of the active commit. The agent continues its
 * work, and a new commit does not disturb the answer: the process has a working tree of its own. Throws the errors of the pass,
 * `access-not-answered` at a limit, and `interrupted`.
 */
export async function answerInProcess(question: AccessQuestion, source: AccessSource, options: AccessProcessOptions): Promise<AccessView> {
  throwIfStopped(options.stop);
  const { repository, commit, file } = source;
  return await inWorktree(repository, commit, async (folder) => {
    const reply = await replyOf({ question, settings: options.settings, commit, configurationFile: join(folder, file) }, options);
    if ("error" in reply) throw errorOf(reply.error);
    return reply.view;
  });
}

function replyOf(
  task: AccessTask,
  { program, words, environment, folder, stop, limits = LIMITS }: AccessProcessOptions,
): Promise<AccessReply> {
  return new Promise((resolve, reject) => {
    const execArgv = [`--max-old-space-size=${limits.memory}`];
    const child = fork(program, words, { execArgv, env: environment, cwd: folder, serialization: "advanced", stdio: SILENT });
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      stop.removeEventListener("abort", onStop);
      child.kill("SIGKILL");
      end();
    };
    const fail = (why: string): void => settle(() => reject(notAnswered(why)));
    const onStop = (): void => settle(() => reject(interrupted()));
    const timer = setTimeout(() => fail(`it takes longer than ${Math.round(limits.time / 1000)} s`), limits.time);
    stop.addEventListener("abort", onStop, { once: true });
    child.once("message", (reply: AccessReply) => settle(() => resolve(reply)));
    child.once("error", ({ message }) => fail(message));
    child.once("close", (code, signal) => fail(`the process that did it ended (${signal ?? `exit ${code}`})`));
    child.send(task, (error) => error !== null && fail(error.message));
  });
}

const SILENT: ("ignore" | "ipc")[] = ["ignore", "ignore", "ignore", "ipc"];

function notAnswered(why: string): PlumblineError {
  return new PlumblineError("access-not-answered", `The access request was not answered: ${why}.`, {
    next: "Try again. Nothing was proposed without an answer. For large rulebases, use `plumbline allow`.",
  });
}

/** Runs in the forked process: answers one question, and ends with the parent. */
export function serveAccess(answer: (task: AccessTask) => Promise<AccessView>): Promise<void> {
  process.once("disconnect", () => process.exit(1));
  return new Promise((resolve) => {
    process.once("message", (task: AccessTask) => {
      const send = (reply: AccessReply): void => void process.send?.(reply, () => resolve());
      answer(task).then(
        (view) => send({ view }),
        (error: unknown) => send({ error: plainError(error instanceof PlumblineErrors ? error.errors[0] : error) }),
      );
    });
  });
}

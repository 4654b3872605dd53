import { type ChildProcess, fork } from "node:child_process";
import { setImmediate as othersTurn } from "node:timers/promises";
import { interrupted, throwIfStopped } from "../core/interrupted.js";
import type { JudgedAssertion } from "../outcome/assertion.js";
import type { ScopeInsight } from "../outcome/insight.js";
import { type BetweenQuestion, type InsightWork, type JudgeQuestion, notWorkedOut, workHere } from "../reachability/changes/analysis.js";
import { weightOf } from "../reachability/changes/weight.js";

interface InsightApartOptions {
  /** JavaScript file that calls `serveInsight` when it is started with `words`. */
  readonly program: string;
  readonly words?: readonly string[];
  readonly limits?: InsightLimits;
  readonly stop: AbortSignal;
}

interface InsightLimits {
  /** Maximum milliseconds per question. */
  readonly time: number;
  /** Maximum MiB of the process. */
  readonly memory: number;
  /** Number of rules, values and members up to which a question is answered in this process. That takes some hundredths of a second. */
  readonly light: number;
}

const LIMITS: InsightLimits = { time: 600_000, memory: 2048, light: 1000 };

/** Question to the process. Questions are answered in sequence. */
type Question =
  | { readonly about: "between"; readonly question: BetweenQuestion }
  | { readonly about: "judge"; readonly question: JudgeQuestion };
type Answer = { readonly answer: unknown } | { readonly failure: string };

/**
 * Computes large questions in a separate process, so that the agent can renew its leases and answer requests
 * (docs/contributing/decisions.md#29-the-agent-analyses-large-rulebases-in-a-separate-process). The process ends when no question is left. Throws `insight-not-worked-out` if it ends
 * early or takes too long, and `interrupted`.
 */
export function insightInProcess({ program, words = [], limits = LIMITS, stop }: InsightApartOptions): InsightWork {
  let child: ChildProcess | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const start = (): ChildProcess =>
    fork(program, words, {
      execArgv: [`--max-old-space-size=${limits.memory}`],
      env: {},
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // Errors between two questions have no effect.
    }).on("error", () => undefined);
  const end = (): void => {
    child?.kill("SIGKILL");
    child = undefined;
  };
  const request = async (question: Question): Promise<unknown> => {
    throwIfStopped(stop);
    child ??= start();
    try {
      return await answerOf(child, question, limits.time, stop);
    } catch (error) {
      end();
      throw error;
    }
  };
  const inTurn = async (question: Question): Promise<unknown> => {
    waiting++;
    const turn = () => request(question);
    last = last.then(turn, turn);
    try {
      return await last;
    } finally {
      if (--waiting === 0) end();
    }
  };
  const answer = async (question: Question, policies: Parameters<typeof weightOf>[0]): Promise<unknown> => {
    if (weightOf(policies, limits.light) > limits.light) return await inTurn(question);
    await othersTurn();
    return await answerHere(question);
  };
  return {
    async between(question) {
      const { versions, stage } = question;
      return (await answer({ about: "between", question }, [...versions, ...(stage?.policies ?? [])])) as ScopeInsight;
    },
    async judge(question) {
      const policies = question.versions.map(({ policy }) => policy);
      return (await answer({ about: "judge", question }, policies)) as JudgedAssertion[];
    },
  };
}

function answerHere({ about, question }: Question): Promise<unknown> {
  return about === "between" ? workHere.between(question) : workHere.judge(question);
}

/** Runs in the forked process and answers questions until the parent disconnects. */
export function serveInsight(): void {
  process.on("message", (question: Question) => {
    const send = (answer: Answer) => process.send?.(answer);
    answerHere(question).then(
      (found) => send({ answer: found }),
      (error: unknown) => send({ failure: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.once("disconnect", () => process.exit(1));
}

/** Returns the answer to one question. Only one question is open at a time. */
function answerOf(child: ChildProcess, question: Question, time: number, stop: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (result: unknown, error?: unknown): void => {
      clearTimeout(timer);
      stop.removeEventListener("abort", onStop);
      child.off("message", onAnswer).off("close", onClose).off("error", onError);
      if (error === undefined) resolve(result);
      else reject(error);
    };
    const onStop = () => settle(undefined, interrupted());
    const onAnswer = (answer: Answer) => ("answer" in answer ? settle(answer.answer) : settle(undefined, new Error(answer.failure)));
    const onError = ({ message }: Error) => settle(undefined, notWorkedOut(message));
    const onClose = (code: number | null, signal: string | null) => {
      settle(undefined, notWorkedOut(`the process that did it ended (${signal ?? `exit ${code}`})`));
    };
    const timer = setTimeout(() => settle(undefined, notWorkedOut(`it takes longer than ${Math.round(time / 1000)} s`)), time);
    stop.addEventListener("abort", onStop, { once: true });
    child.on("message", onAnswer).on("close", onClose).on("error", onError);
    child.send(question, (error) => {
      if (error !== null) onError(error);
    });
  });
}

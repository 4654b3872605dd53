import { PlumblineError } from "../../core/errors.js";
import { groupBy } from "../../core/group-by.js";
import { touchedPath } from "../../core/operation.js";
import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { isLeaseLost } from "../../core/write-lease.js";
import type { PlannedOperation } from "../../plan/model.js";
import type { Planned } from "../pass/planner.js";
import { type ApplySession, note, reportProgress } from "./apply-session.js";
import { countOperations, throwIfRunStopped } from "./count-operations.js";
import { isLost } from "./errors.js";
import type { Failures } from "./failures.js";

type Batch = readonly PlannedOperation[];

interface Writing {
  readonly session: ApplySession;
  readonly failures: Failures;
  readonly digest: string;
}

/** Writes independent objects. Failures are collected, and operations that depend on a failed object are skipped. */
export async function writeObjects(
  session: ApplySession,
  segment: readonly Batch[],
  { plan, live }: Planned,
  failures: Failures,
): Promise<void> {
  const writing = { session, failures, digest: plan.digest };
  for (let at = 0; at < segment.length; ) {
    const made = newObjects(session, segment.slice(at), live.candidate);
    const batches = Math.max(1, made.length);
    for (const [index, together] of (made.length > 1 ? inStages(session, made) : segment.slice(at, at + 1)).entries()) {
      throwIfRunStopped(session);
      reportProgress(session, "writing", { done: Math.min(at + index + 1, segment.length), all: segment.length });
      if (made.length > 1 && together.length > 1) await make(writing, together, at);
      else await writeAlone(writing, together, at);
    }
    at += batches;
  }
}

/** Returns the leading operations that create objects of lists that support parallel creation. */
function newObjects(
  {
    writer,
    facts: {
      capabilities: { madeTogether },
    },
  }: Pick<ApplySession, "facts" | "writer">,
  segment: readonly Batch[],
  live: TreeNode,
): Batch {
  if (madeTogether === undefined || writer.together === undefined) return [];
  const isMade = ([planned, ...others]: Batch): boolean => {
    if (planned === undefined || others.length > 0 || planned.operation.action !== "set") return false;
    const path = touchedPath(planned.operation);
    return path.name !== undefined && madeTogether.lists.includes(path.parent?.tag ?? "") && find(live, path) === undefined;
  };
  const end = segment.findIndex((batch) => !isMade(batch));
  return segment.slice(0, end === -1 ? segment.length : end).flat();
}

/** Groups operations by list, because later lists refer to earlier ones. Splits each group by the maximum number of parallel requests. */
function inStages(
  {
    facts: {
      capabilities: { madeTogether },
    },
  }: Pick<ApplySession, "facts">,
  made: Batch,
): Batch[] {
  const { lists = [], most = 1 } = madeTogether ?? {};
  const byList = groupBy(made, ({ operation }) => touchedPath(operation).parent?.tag ?? "");
  return lists.flatMap((list) => {
    const all = byList.get(list) ?? [];
    return Array.from({ length: Math.ceil(all.length / most) }, (_, part) => all.slice(part * most, (part + 1) * most));
  });
}

async function make({ session, failures, digest }: Writing, batch: Batch, index: number): Promise<void> {
  const chosen = batch.filter((planned) => !failures.skips(planned));
  if (chosen.length === 0) return;
  await note(session, "write", digest, { batch: index });
  const errors = await session.step("write", async () => await session.writer.together?.make(chosen.map(({ operation }) => operation)));
  const failed = chosen.flatMap((planned, at) => {
    const error = errors?.[at];
    return error === undefined ? [] : [{ planned, error }];
  });
  const left = new Set(failed.map(({ planned }) => planned));
  countOperations(
    session,
    chosen.filter((planned) => !left.has(planned)).map(({ operation }) => operation),
  );
  const ending = failed.find(({ error }) => endsAll(error));
  for (const { planned, error } of failed) if (!endsAll(error)) failures.add(planned, error as PlumblineError);
  if (ending !== undefined) throw ending.error;
}

/** Returns true for an error that ends the run, as opposed to the refusal of one object. */
function endsAll(error: unknown): boolean {
  return !(error instanceof PlumblineError) || isLost(error) || isLeaseLost(error);
}

async function writeAlone({ session, failures, digest }: Writing, planned: Batch, batch: number): Promise<void> {
  const together = session.facts.capabilities.completeObjectWrites === true ? [planned] : planned.map((operation) => [operation]);
  for (const group of together) {
    const chosen = group.filter((operation) => !failures.skips(operation));
    const [first] = chosen;
    if (first === undefined) continue;
    const wanted = chosen.map(({ operation }) => operation);
    await note(session, "write", digest, { batch });
    try {
      await session.step("write", () => session.writer.write(wanted));
      countOperations(session, wanted);
    } catch (error) {
      if (endsAll(error)) throw error;
      failures.add(first, error as PlumblineError);
    }
  }
}

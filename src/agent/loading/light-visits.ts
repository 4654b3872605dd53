import { PlumblineError } from "../../core/errors.js";
import { parseConfiguration } from "../../desired/configuration/read.js";
import { loadDesired } from "../../desired/load.js";
import { closureOf } from "../commit-index.js";
import { type CommitToLoad, withoutSecrets } from "../load-commit.js";
import type { LoadedTargets } from "./loader.js";

/** Processor time of this process, in milliseconds. */
export type ProcessorTime = () => number;

export const thisProcess: ProcessorTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/**
 * Reads a commit as the agent does in its own loop: plumbline.yaml, and the documents of one target at a time. Called if the complete
 * commit took more than `most` milliseconds of processor time. @throws PlumblineError `commit-too-heavy` if one part does
 */
export async function expectLightVisits(
  wanted: CommitToLoad,
  { targets, affected }: LoadedTargets,
  most: number,
  spent: ProcessorTime,
): Promise<void> {
  const timed = async <T>(what: string, read: () => Promise<T>): Promise<T> => {
    const before = spent();
    const result = await read();
    if (spent() - before > most) throw tooHeavy(wanted.commit, what, most);
    return result;
  };
  const parsed = await timed("plumbline.yaml", () => parseConfiguration(wanted.file, wanted.kinds));
  for (const target of affected) {
    const of = closureOf([target], targets);
    const files = [...new Set([...of].flatMap((name) => targets.get(name)?.files ?? []))].sort();
    const read = () => loadDesired(wanted.file, { ...withoutSecrets(wanted), parsed, targets: [target], documents: { files, of } });
    if (files.length > 0) await timed(`what target ${target} needs`, read);
  }
}

function tooHeavy(commit: string, what: string, most: number): PlumblineError {
  const message = `Commit ${commit.slice(0, 12)} is too heavy: to read ${what} takes more than ${most / 1000} s of a processor.`;
  return new PlumblineError("commit-too-heavy", message, {
    next: "Push a commit in which it is smaller, or raise agent.source.visitLoadTime.",
    severity: "refused",
  });
}

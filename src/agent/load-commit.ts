import { dirname, join } from "node:path";
import { readRegularFile } from "../core/regular-file.js";
import { parseConfiguration } from "../desired/configuration/read.js";
import { documentTargets } from "../desired/document-targets.js";
import { type HiddenPath, MOST_DOCUMENT_BYTES } from "../desired/files.js";
import type { KindRegistry } from "../desired/kind.js";
import { loadDesired } from "../desired/load.js";
import type { LiveLookup, LoadedDesired, LoadOptions } from "../desired/loaded.js";
import { SourceFile } from "../desired/source-file.js";
import { withUndeclaredTargets } from "../engine/pass/undeclared-targets.js";
import {
  type CommitIndex,
  closureOf,
  referrersOf,
  sortChanges,
  type TargetIndex,
  targetsNaming,
  targetsOf,
  targetsReconfigured,
} from "./commit-index.js";

export interface CommitToLoad {
  readonly commit: string;
  readonly author: string | undefined;
  /** Absolute path of `plumbline.yaml` in the agent's working tree, which is at `commit`. */
  readonly file: string;
  /** Paths that the working tree may lack although `commit` has them, relative to the folder of `file`. */
  readonly hidden: readonly HiddenPath[];
  readonly kinds: KindRegistry;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Format yyyy-mm-dd. */
  readonly today: string;
  /** Returns whether the ledger contains objects of `owner` on a target without documents. `ledger` is the setting of the commit. */
  readonly owns: (owner: string, target: string, ledger: string | undefined) => Promise<boolean>;
}

export interface LoadedCommit {
  readonly index: CommitIndex;
  /** Targets that the commit touches. All targets if there is no earlier commit. */
  readonly affected: ReadonlySet<string>;
}

/** Loads a complete commit without its secrets. @throws PlumblineErrors with all errors in it. */
export async function loadCompletely(wanted: CommitToLoad): Promise<LoadedCommit> {
  const parsed = await parseConfiguration(wanted.file, wanted.kinds);
  const spoken = await loadDesired(wanted.file, { ...withoutSecrets(wanted), parsed, hidden: wanted.hidden });
  const loaded = await withUndeclaredTargets(spoken, wanted.kinds, spoken.configuration.targets.keys(), (target) =>
    wanted.owns(spoken.configuration.owner, target, spoken.configuration.ledger),
  );
  const targets = targetsOf(loaded, wanted.commit, wanted.kinds);
  return { index: indexFrom(wanted, loaded, parsed, targets), affected: new Set(targets.keys()) };
}

/**
 * Loads only the targets that a change can affect, based on `before`, which loaded completely: targets with changed documents, targets that
 * refer to them, and all targets that these refer to. The effort does not depend on the number of other targets. A changed `plumbline.yaml`
 * or hidden path loads the complete commit.
 * @param changed Files, relative to the root of the repository.
 */
export async function loadChanged(
  wanted: CommitToLoad,
  before: CommitIndex,
  changed: readonly string[],
  folder: string,
): Promise<LoadedCommit> {
  const changes = sortChanges(changed, folder, before);
  const named = targetsNaming(changes.others, before);
  const inside = new Set([...changes.documents, ...changes.others]);
  if (changes.configuration || wanted.hidden.some(({ name }) => inside.has(name))) {
    const { index, affected } = await loadCompletely(wanted);
    const direct = new Set([...targetsReconfigured(before.parsed, index.parsed), ...named]);
    for (const name of affected) if (!sameFiles(before.targets.get(name), index.targets.get(name), changes.documents)) direct.add(name);
    return settle(index, before, referrersOf(direct, index.targets));
  }
  if (changes.documents.length === 0) {
    return settle({ ...before, commit: wanted.commit, author: wanted.author }, before, referrersOf(named, before.targets));
  }
  const files = await filesAfter(wanted.file, before, changes.documents);
  if (files === undefined) {
    const { index } = await loadCompletely(wanted);
    return settle(index, before, new Set(index.targets.keys()));
  }
  const direct = new Set([...files.touched, ...named]);
  const affected = referrersOf(direct, before.targets);
  const { parsed } = before;
  let needed = closureOf(affected, before.targets);
  for (;;) {
    const named = [...needed].flatMap((name) => files.byTarget.get(name) ?? []);
    if (named.length === 0) return settle((await loadCompletely(wanted)).index, before, affected);
    const spoken = await loadDesired(wanted.file, {
      ...withoutSecrets(wanted),
      parsed,
      documents: { files: [...new Set(named)].sort(), of: needed },
    });
    const { owner, ledger } = spoken.configuration;
    const loaded = await withUndeclaredTargets(spoken, wanted.kinds, needed, (target) => wanted.owns(owner, target, ledger));
    const reloaded = targetsOf(loaded, wanted.commit, wanted.kinds);
    const all = closureOf(needed, new Map([...before.targets, ...reloaded]));
    if (all.size > needed.size) {
      needed = all;
      continue;
    }
    const targets = new Map([...before.targets].filter(([name]) => !needed.has(name) || reloaded.has(name)));
    for (const [name, index] of reloaded) targets.set(name, index);
    return settle(indexFrom(wanted, loaded, parsed, targets), before, new Set([...affected].filter((name) => targets.has(name))));
  }
}

function settle(index: CommitIndex, before: CommitIndex, affected: ReadonlySet<string>): LoadedCommit {
  const targets = new Map<string, TargetIndex>();
  for (const [name, target] of index.targets) {
    const known = before.targets.get(name);
    targets.set(name, affected.has(name) || known === undefined ? { ...target, since: index.commit } : { ...target, since: known.since });
  }
  return { index: { ...index, targets }, affected: new Set([...affected].filter((name) => targets.has(name))) };
}

function sameFiles(before: TargetIndex | undefined, after: TargetIndex | undefined, changed: readonly string[]): boolean {
  if (before === undefined || after === undefined) return false;
  const files = new Set([...before.files, ...after.files]);
  return before.files.length === after.files.length && !changed.some((name) => files.has(name));
}

interface FilesAfter {
  readonly byTarget: ReadonlyMap<string, readonly string[]>;
  readonly touched: ReadonlySet<string>;
}

/** Returns the documents of each touched target. Undefined if the target of a changed file cannot be read from it. */
async function filesAfter(configurationFile: string, before: CommitIndex, documents: readonly string[]): Promise<FilesAfter | undefined> {
  const changed = new Set(documents);
  const byTarget = new Map<string, string[]>();
  const touched = new Set<string>();
  for (const [name, { files }] of before.targets) {
    const kept = files.filter((file) => !changed.has(file));
    if (kept.length < files.length) touched.add(name);
    byTarget.set(name, kept);
  }
  for (const name of documents) {
    const bytes = await readRegularFile(join(dirname(configurationFile), name), MOST_DOCUMENT_BYTES).catch(() => undefined);
    if (bytes === undefined) continue;
    const targets = documentTargets(new SourceFile(name, bytes.toString("utf8")), before.parsed);
    if (targets === undefined) return undefined;
    for (const target of targets) {
      touched.add(target);
      byTarget.set(target, [...(byTarget.get(target) ?? []), name]);
    }
  }
  return { byTarget, touched };
}

function indexFrom(
  { commit, author }: CommitToLoad,
  { configuration }: LoadedDesired,
  parsed: CommitIndex["parsed"],
  targets: CommitIndex["targets"],
): CommitIndex {
  return { commit, author, configuration, parsed, targets };
}

export function withoutSecrets({ kinds, environment, today }: CommitToLoad): LoadOptions {
  return { kinds, environment, today, resolveSecrets: false, live: NOT_READ };
}

/** Whether a commit loads must not depend on live values. */
const NOT_READ: LiveLookup = { values: () => "later", nodes: () => "later" };

import { dirname, posix, relative, sep } from "node:path";
import type { Configuration } from "../desired/configuration/configuration.js";
import type { ConfigurationFile } from "../desired/configuration/read.js";
import type { KindRegistry } from "../desired/kind.js";
import type { LoadedDesired, TargetReferences } from "../desired/loaded.js";
import type { RuleEnd } from "../desired/rule-end.js";

/** Facts kept about a loaded commit. They suffice to load any single target, and to find the targets that a later commit touches. */
export interface CommitIndex {
  readonly commit: string;
  readonly author: string | undefined;
  /** `plumbline.yaml`, with unresolved secrets. */
  readonly configuration: Configuration;
  readonly parsed: ConfigurationFile;
  readonly targets: ReadonlyMap<string, TargetIndex>;
}

export interface TargetIndex {
  /** Documents, relative to the folder of `plumbline.yaml`. */
  readonly files: readonly string[];
  readonly references: TargetReferences;
  /** Ignores with an end date, in the order of their end. */
  readonly ignores: readonly EndingIgnore[];
  /** End dates of rules and their members. */
  readonly ruleEnds: readonly RuleEnd[];
  /** Last commit that touched the target, as far as this process knows. */
  readonly since: string;
}

export interface EndingIgnore {
  readonly path: string;
  readonly owner: string;
  readonly reason: string;
  /** Last day, yyyy-mm-dd. */
  readonly until: string;
}

/** Returns the index of the targets that were loaded. Other targets keep their former entries. */
export function targetsOf(loaded: LoadedDesired, commit: string, kinds: KindRegistry): Map<string, TargetIndex> {
  const none: TargetReferences = { targets: new Set(), secrets: [] };
  return new Map(
    [...loaded.targets].map(([name, { ignores, root }]) => [
      name,
      {
        files: loaded.filesByTarget.get(name) ?? [],
        references: loaded.references.get(name) ?? none,
        ignores: ignores
          .flatMap(({ path, owner, reason, until }) => (until === undefined ? [] : [{ path, owner, reason, until }]))
          .sort((a, b) => (a.until < b.until ? -1 : a.until > b.until ? 1 : 0)),
        ruleEnds: kinds.get(loaded.configuration.targets.get(name)?.kind ?? "")?.ruleEnds?.(root) ?? [],
        since: commit,
      },
    ]),
  );
}

/** Returns the targets and all targets that they refer to, directly or indirectly. */
export function closureOf(names: Iterable<string>, targets: References): Set<string> {
  const closure = new Set(names);
  for (const name of closure) for (const other of targets.get(name)?.references.targets ?? []) closure.add(other);
  return closure;
}

/** Returns `names` and all targets that refer to one of them, directly or indirectly. */
export function referrersOf(names: Iterable<string>, targets: References): Set<string> {
  const found = new Set(names);
  for (const name of found) for (const referrer of followersOf(name, targets)) found.add(referrer);
  return found;
}

type References = ReadonlyMap<string, Pick<TargetIndex, "references">>;

const followers = new WeakMap<References, ReadonlyMap<string, readonly string[]>>();

/** Returns the targets that refer to `target` directly. */
export function followersOf(target: string, targets: References): readonly string[] {
  const known = followers.get(targets) ?? invert(targets);
  followers.set(targets, known);
  return known.get(target) ?? [];
}

function invert(targets: References): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name, { references }] of targets) {
    for (const other of references.targets) {
      const names = found.get(other) ?? [];
      names.push(name);
      found.set(other, names);
    }
  }
  return found;
}

/** Changed files of a commit, by their role in the desired state. */
export interface ChangedFiles {
  readonly configuration: boolean;
  /** Documents, relative to the folder of `plumbline.yaml`. */
  readonly documents: readonly string[];
  /** Other files, relative to the folder of `plumbline.yaml`. */
  readonly others: readonly string[];
}

/** Sorts changed files. `changed` and `folder` are relative to the root of the repository, with forward slashes. */
export function sortChanges(changed: readonly string[], folder: string, index: CommitIndex): ChangedFiles {
  const prefix = folder === "" ? "" : `${folder}/`;
  const inside = changed.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const outside = changed.filter((name) => !name.startsWith(prefix)).map((name) => posix.relative(folder, name));
  const configurationFile = posix.basename(index.configuration.file.split(sep).join("/"));
  const roots = index.parsed.text.documents.map((root) => posix.normalize(root).replace(/\/+$/, ""));
  const isDocument = (name: string): boolean => roots.some((root) => root === "." || name.startsWith(`${root}/`));
  const rest = inside.filter((name) => name !== configurationFile);
  return {
    configuration: inside.includes(configurationFile),
    documents: rest.filter(isDocument),
    others: [...rest.filter((name) => !isDocument(name)), ...outside],
  };
}

/** Returns the targets that use one of `files` as a secret or a certificate. Paths are relative to the folder of the configuration. */
export function targetsNaming(files: readonly string[], { configuration, targets }: CommitIndex): Set<string> {
  const found = new Set<string>();
  if (files.length === 0) return found;
  const named = new Set(files);
  const folder = dirname(configuration.file);
  for (const [name, { references }] of targets) {
    const target = configuration.targets.get(name);
    const certificate = target?.tls?.ca;
    const secrets = references.secrets
      .filter(({ kind }) => kind === "file" || kind === "sops")
      .map(({ kind, argument }) => posix.normalize(kind === "sops" ? argument.replace(/#[^#]*$/, "") : argument));
    const paths = certificate === undefined ? secrets : [...secrets, relative(folder, certificate).split(sep).join("/")];
    if (paths.some((path) => named.has(path))) found.add(name);
  }
  return found;
}

/** Returns the targets whose part of `plumbline.yaml` differs, or all targets if a common part differs. */
export function targetsReconfigured(before: ConfigurationFile, after: ConfigurationFile): Set<string> {
  const { targets: former, agent: _, ...commonBefore } = before.text;
  const { targets: wanted, agent: __, ...commonAfter } = after.text;
  const names = Object.keys(wanted);
  if (JSON.stringify(commonBefore) !== JSON.stringify(commonAfter)) return new Set(names);
  return new Set(names.filter((name) => JSON.stringify(former[name]) !== JSON.stringify(wanted[name])));
}

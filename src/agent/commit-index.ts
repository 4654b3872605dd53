import { dirname, posix, relative, sep } from "node:path";
import type { ConfigurationFile } from "../desired/configuration/read.js";
import type { Configuration } from "../desired/configuration.js";
import type { LoadedDesired, TargetReferences } from "../desired/loaded.js";

/** What is kept of a commit that loaded whole: enough to load any of its targets alone, and to tell what a later one touches. */
export interface CommitIndex {
  readonly commit: string;
  readonly author: string | undefined;
  /** `plumbline.yaml`, secrets not resolved. */
  readonly configuration: Configuration;
  readonly parsed: ConfigurationFile;
  readonly targets: ReadonlyMap<string, TargetIndex>;
}

export interface TargetIndex {
  /** Documents, relative to the folder of `plumbline.yaml`. */
  readonly files: readonly string[];
  readonly references: TargetReferences;
  /** Its ignores that have an end, the next to end first. */
  readonly ignores: readonly EndingIgnore[];
  /** The commit that touched the target last, as far as this process knows. */
  readonly since: string;
}

export interface EndingIgnore {
  readonly path: string;
  readonly owner: string;
  readonly reason: string;
  /** Its last day, yyyy-mm-dd. */
  readonly until: string;
}

/** The part of an index that a load tells; targets that it did not load keep what they had. */
export function targetsOf(loaded: LoadedDesired, commit: string): Map<string, TargetIndex> {
  const none: TargetReferences = { targets: new Set(), secrets: [] };
  return new Map(
    [...loaded.targets].map(([name, { ignores }]) => [
      name,
      {
        files: loaded.filesByTarget.get(name) ?? [],
        references: loaded.references.get(name) ?? none,
        ignores: ignores
          .flatMap(({ path, owner, reason, until }) => (until === undefined ? [] : [{ path, owner, reason, until }]))
          .sort((a, b) => (a.until < b.until ? -1 : a.until > b.until ? 1 : 0)),
        since: commit,
      },
    ]),
  );
}

/** A target with all that it refers to, directly or through others. */
export function closureOf(names: Iterable<string>, targets: References): Set<string> {
  const closure = new Set(names);
  for (const name of closure) for (const other of targets.get(name)?.references.targets ?? []) closure.add(other);
  return closure;
}

/** Targets that refer to one of `names`, directly or through others, and `names` themselves. */
export function referrersOf(names: Iterable<string>, targets: References): Set<string> {
  const found = new Set(names);
  for (const name of found) for (const referrer of followersOf(name, targets)) found.add(referrer);
  return found;
}

type References = ReadonlyMap<string, Pick<TargetIndex, "references">>;

const followers = new WeakMap<References, ReadonlyMap<string, readonly string[]>>();

/** Targets that take values of `target` themselves. */
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

/** Files of a commit sorted by what they mean to a desired state in `folder` of the repository. */
export interface ChangedFiles {
  readonly configuration: boolean;
  /** Relative to the folder of `plumbline.yaml`. */
  readonly documents: readonly string[];
  /** The same, of files that are no documents. */
  readonly others: readonly string[];
}

/** `changed` and `folder` are relative to the root of the repository, with forward slashes. */
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

/** Targets that name one of `files` (relative to the configuration's folder): a secret in a file, a certificate. */
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

/** Targets of the new configuration whose part of `plumbline.yaml` differs; all of them where what concerns all does. */
export function targetsReconfigured(before: ConfigurationFile, after: ConfigurationFile): Set<string> {
  const { targets: former, agent: _, ...commonBefore } = before.text;
  const { targets: wanted, agent: __, ...commonAfter } = after.text;
  const names = Object.keys(wanted);
  if (JSON.stringify(commonBefore) !== JSON.stringify(commonAfter)) return new Set(names);
  return new Set(names.filter((name) => JSON.stringify(former[name]) !== JSON.stringify(wanted[name])));
}

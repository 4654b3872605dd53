import type { PlumblineError } from "../core/errors.js";
import type { Selected } from "../core/tree/xpath/xpath.js";
import type { CommandPolicy } from "./commands.js";
import type { Configuration } from "./configuration/configuration.js";
import type { ConfigurationFile } from "./configuration/read.js";
import type { HiddenPath } from "./files.js";
import type { KindRegistry } from "./kind.js";
import type { DesiredTarget, Ignore } from "./model.js";
import type { SecretReference } from "./template.js";

/** Result of a lookup in live trees: the found values; `later` if an apply of this run will create them; or the error. */
export type LiveAnswer<Found> = readonly Found[] | "later" | PlumblineError;

/**
 * Looks up `${target:path}` and `$forEach` in live trees of other targets if their desired trees do not contain the value. `later`: the
 * leaf is `unresolved` and its text stays the expression. An error blocks only the target with the expression.
 */
export interface LiveLookup {
  /** Returns texts of the leaves and members that `xpath` selects. With `/@name` at the end, returns names of entries. */
  values(target: string, xpath: string): LiveAnswer<string>;
  nodes(target: string, xpath: string): LiveAnswer<Selected>;
}

export interface LoadOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly kinds: KindRegistry;
  /** Current date, yyyy-mm-dd, for `until:` of ignores. */
  readonly today: string;
  /** False for `plumbline validate`: `${env:}`, `${file:}` and `${exec:}` stay symbolic, and no secret is read and no command is run. */
  readonly resolveSecrets: boolean;
  /** Commands of `${exec:}` that may run. Default: none, because an unapproved commit may contain them. */
  readonly mayRun?: CommandPolicy | undefined;
  /** Resolve the secrets of these targets only (default: all). A run on one target must not need another target's password. */
  readonly targets?: readonly string[] | undefined;
  readonly live?: LiveLookup | undefined;
  /** Texts that replace the content of files, by path relative to the configuration's folder: unsaved text of an editor. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
  /** Tracked paths that the working tree may lack. Each one in a document folder is an error. */
  readonly hidden?: readonly HiddenPath[] | undefined;
  /** The parsed `plumbline.yaml`, if available. It must match the file. */
  readonly parsed?: ConfigurationFile | undefined;
  /**
   * Load only these targets from these documents. They must include all documents of these targets and of targets that they refer to. The
   * caller knows that all other documents loaded before and have not changed.
   */
  readonly documents?: NamedDocuments | undefined;
}

interface NamedDocuments {
  /** Paths relative to the configuration's folder. */
  readonly files: readonly string[];
  /** Target names. A document for several targets is read for these only. */
  readonly of: ReadonlySet<string>;
}

/** Targets and secrets that the documents of one target refer to. */
export interface TargetReferences {
  /** Other targets. */
  readonly targets: ReadonlySet<string>;
  /** Without duplicates. */
  readonly secrets: readonly SecretReference[];
}

export interface ExpiredIgnore {
  readonly target: string;
  readonly ignore: Ignore;
}

/** A complete desired state. `loadDesired` throws if any part fails to load, except for references to live values (`broken`). */
export interface LoadedDesired {
  readonly configuration: Configuration;
  /** Targets of the configuration that have documents, by name. */
  readonly targets: ReadonlyMap<string, DesiredTarget>;
  readonly references: ReadonlyMap<string, TargetReferences>;
  /** Targets whose references to live values cannot be resolved, and targets that refer to them. They must not be planned. */
  readonly broken: ReadonlyMap<string, readonly PlumblineError[]>;
  /** By target: objects that `where:` of a `$forEach` omitted, one text each. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
  /** Targets with values that only an apply of this run will produce. */
  readonly later: ReadonlySet<string>;
  /** Files of each target, relative to the configuration's folder, sorted. */
  readonly filesByTarget: ReadonlyMap<string, readonly string[]>;
  /** Each has a code and a place, like an error, but does not stop a run. */
  readonly warnings: readonly PlumblineError[];
  /** Ignores after their `until`. `validate` fails on them and applies to their target are refused, but their paths stay protected. */
  readonly expiredIgnores: readonly ExpiredIgnore[];
}

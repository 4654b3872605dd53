import type { PlumblineError } from "../core/errors.js";
import type { Selected } from "../core/tree/xpath.js";
import type { CommandPolicy } from "./commands.js";
import type { ConfigurationFile } from "./configuration/read.js";
import type { Configuration } from "./configuration.js";
import type { HiddenPath } from "./files.js";
import type { KindRegistry } from "./kind.js";
import type { DesiredTarget, Ignore } from "./model.js";
import type { SecretReference } from "./template.js";

/** What live trees say: found, to be made by an apply of this very run, or not to be told and why. */
export type LiveAnswer<Found> = readonly Found[] | "later" | PlumblineError;

/**
 * What other targets' live trees say to `${target:path}` and `$forEach` where their desired trees say nothing. `later`: the
 * leaf is then `unresolved` and its text stays the expression. An error stops the target that asks, and no other.
 */
export interface LiveLookup {
  /** Texts of the leaves and members that `xpath` selects; with `/@name` at its end, names of entries. */
  values(target: string, xpath: string): LiveAnswer<string>;
  nodes(target: string, xpath: string): LiveAnswer<Selected>;
}

export interface LoadOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly kinds: KindRegistry;
  /** yyyy-mm-dd, for `until:` of ignores. */
  readonly today: string;
  /** False for `plumbline validate`: `${env:}`, `${file:}` and `${exec:}` stay symbolic, nothing is read or run. */
  readonly resolveSecrets: boolean;
  /** Which commands of `${exec:}` may run; none by default, since a commit that nobody has approved may hold them. */
  readonly mayRun?: CommandPolicy | undefined;
  /** Resolve the secrets of these targets only (all by default): a run on one target must not need another's password. */
  readonly targets?: readonly string[] | undefined;
  readonly live?: LiveLookup | undefined;
  /** Texts in the place of what files hold, by their names relative to the configuration's folder: an editor's, not saved yet. */
  readonly unsaved?: ReadonlyMap<string, string> | undefined;
  /** Tracked paths that the working tree may lack. Each is an error if it is in a document folder. */
  readonly hidden?: readonly HiddenPath[] | undefined;
  /** `plumbline.yaml` where it was parsed before; it must be what the file says. */
  readonly parsed?: ConfigurationFile | undefined;
  /**
   * Load these targets alone, from these documents: all of theirs, and of all that they refer to. For who knows that the
   * others loaded before, as they stand now.
   */
  readonly documents?: NamedDocuments | undefined;
}

interface NamedDocuments {
  /** Relative to the configuration's folder. */
  readonly files: readonly string[];
  /** Targets. A document for several is read for these alone. */
  readonly of: ReadonlySet<string>;
}

/** What the documents of one target depend on beside themselves. */
export interface TargetReferences {
  /** Other targets. */
  readonly targets: ReadonlySet<string>;
  /** Each once. */
  readonly secrets: readonly SecretReference[];
}

export interface ExpiredIgnore {
  readonly target: string;
  readonly ignore: Ignore;
}

/** A whole desired state. There is no half-loaded one: `loadDesired` throws instead. */
export interface LoadedDesired {
  readonly configuration: Configuration;
  /** Every target of the configuration that documents name, by name. A target without documents is not in it. */
  readonly targets: ReadonlyMap<string, DesiredTarget>;
  readonly references: ReadonlyMap<string, TargetReferences>;
  /** Targets whose references to live values cannot be resolved, and those that refer to them: not to be planned. */
  readonly broken: ReadonlyMap<string, readonly PlumblineError[]>;
  /** What `where:` of a `$forEach` left out of a target, one text each. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
  /** Targets that hold values which only an apply of this run will tell. */
  readonly later: ReadonlySet<string>;
  /** Files of each target, relative to the configuration's folder, sorted. */
  readonly filesByTarget: ReadonlyMap<string, readonly string[]>;
  /** Each has a code and a place, as errors have; none stops a run. */
  readonly warnings: readonly PlumblineError[];
  /** Ignores past their `until`: `validate` fails on them, applying their target is refused, their paths stay protected. */
  readonly expiredIgnores: readonly ExpiredIgnore[];
}

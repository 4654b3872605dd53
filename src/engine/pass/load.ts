import pLimit from "p-limit";
import type { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { LoadedDesired, LoadOptions } from "../../desired/loaded.js";
import { asPlumblineError } from "../apply/errors.js";
import { LiveTrees, type ReferredTarget, subtreeOf } from "./live-trees.js";
import type { Readers } from "./options.js";

export interface LiveLoading {
  readonly readers: Readers;
  /** Loads the desired state with live values. Also resolves the secrets of `referred` targets, regardless of the selected targets. */
  load(live: LoadOptions["live"], referred: readonly string[]): Promise<LoadedDesired>;
  readonly kinds: LoadOptions["kinds"];
  /** True for a target whose secrets are resolved without being referred to. */
  hasCredentials(target: string): boolean;
  /** True for a target that this run will write to and has not yet. */
  willBeWritten(target: string, loaded: LoadedDesired): boolean;
}

const CONCURRENCY = 8;
/** Each round may ask for more: entries that were made from live nodes refer to further ones. */
const ROUNDS = 5;

/**
 * Loads a desired state with references to live trees. Reads each list or subtree once per round and loads again with the values. A state
 * without such references is loaded once, and no target is read.
 */
export async function loadWithLive(loading: LiveLoading): Promise<LoadedDesired> {
  let live = new LiveTrees();
  let loaded = await loading.load(live, []);
  let readings: Readings = new Map();
  const referred = new Set<string>();
  for (let round = 1; live.requested.size > 0 && round <= ROUNDS; round++) {
    const known = await withCredentials(loading, loaded, referred, live);
    readings = await readRequested(live, readings, known, loading);
    live = new LiveTrees((target) => referredTarget(target, known, loading));
    for (const [target, [subtrees, tree]] of readings) live.add(target, subtrees, tree);
    loaded = await loading.load(live, [...referred]);
  }
  return loaded;
}

/** To read a target takes its credentials, which a run on other targets did not ask for. */
async function withCredentials(
  loading: LiveLoading,
  loaded: LoadedDesired,
  referred: Set<string>,
  { requested }: LiveTrees,
): Promise<LoadedDesired> {
  const others = [...requested.keys()].filter((target) => !referred.has(target) && !loading.hasCredentials(target));
  for (const target of others) referred.add(target);
  return others.length === 0 ? loaded : await loading.load(new LiveTrees(), [...referred]);
}

function referredTarget(target: string, loaded: LoadedDesired, { kinds, willBeWritten }: LiveLoading): ReferredTarget | undefined {
  const configuration = loaded.configuration.targets.get(target);
  const kind = configuration === undefined ? undefined : kinds.get(configuration.kind);
  if (kind === undefined) return undefined;
  return {
    rootTag: kind.rootTag,
    isStrict: kind.strict === true,
    desired: loaded.targets.get(target)?.root,
    willBeWritten: willBeWritten(target, loaded),
  };
}

/** Subtrees that were read per target, and the tree or the error. */
type Readings = ReadonlyMap<string, readonly [readonly Path[], TreeNode | PlumblineError]>;

/** Reads the requested subtrees of each target, and the known ones again. So all values of one load come from one read. */
async function readRequested(live: LiveTrees, known: Readings, loaded: LoadedDesired, loading: LiveLoading): Promise<Readings> {
  const readings = new Map(known);
  const limit = pLimit(CONCURRENCY);
  const work = [...live.requested].map(([target, xpaths]) =>
    limit(async () => {
      const referred = referredTarget(target, loaded, loading);
      if (referred === undefined) return;
      const subtrees = new Map((known.get(target)?.[0] ?? []).map((path) => [path.toString(), path]));
      for (const xpath of xpaths) {
        const path = subtreeOf(xpath, referred);
        subtrees.set(path.toString(), path);
      }
      const wanted = [...subtrees.values()];
      readings.set(target, [wanted, await readLive(target, wanted, loaded, loading.readers)]);
    }),
  );
  await Promise.all(work);
  return readings;
}

async function readLive(
  target: string,
  subtrees: readonly Path[],
  loaded: LoadedDesired,
  readers: Readers,
): Promise<TreeNode | PlumblineError> {
  const configuration = loaded.configuration.targets.get(target);
  if (configuration === undefined) return asPlumblineError(new Error(`there is no target ${target}`), target);
  try {
    const reader = await readers.reader(configuration);
    try {
      await reader.open();
      return await reader.read(subtrees, "running");
    } finally {
      await reader.close();
    }
  } catch (error) {
    return asPlumblineError(error, target);
  }
}

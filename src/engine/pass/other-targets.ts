import pLimit from "p-limit";
import { PlumblineErrors } from "../../core/errors.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Configuration } from "../../desired/configuration/configuration.js";
import type { KindRegistry } from "../../desired/kind.js";
import type { LoadedDesired, LoadOptions } from "../../desired/loaded.js";
import { policyOptions } from "../../reachability/predefined.js";
import { type Other, partOf } from "../../reachability/questions/whole-path.js";
import { LiveTrees } from "./live-trees.js";
import type { Readers } from "./options.js";

/** How other targets are read during a pass. */
export interface OthersSource {
  readonly readers: Readers;
  readonly kinds: KindRegistry;
  /** All of `plumbline.yaml`. */
  readonly targets: Configuration["targets"];
  /** Loads the desired state, with the credentials of `referred` targets. */
  load(live: LoadOptions["live"], referred: readonly string[]): Promise<LoadedDesired>;
  /** Loaded desired states, by the targets whose credentials were resolved. */
  readonly loads: Map<string, Promise<LoadedDesired>>;
  /** Targets that a read-only pass has read already, by target and applications. */
  readonly known?: Map<string, Promise<Other>> | undefined;
}

const CONCURRENCY = 8;

interface Wanted {
  /** The target of the question. It is not read. */
  readonly own: string;
  /** Undefined: all targets. */
  readonly names: readonly string[] | undefined;
  /** Applications that the question names. */
  readonly applications: readonly string[];
}

/** Reads the rules of other targets. Takes no lock and no lease of them. The answer contains the reason if one could not be read. */
export async function readOthers(source: OthersSource, { own, names, applications }: Wanted): Promise<ReadonlyMap<string, Other>> {
  const { known = new Map<string, Promise<Other>>() } = source;
  const limit = pLimit(CONCURRENCY);
  const { targets } = source;
  const selected = (names ?? [...targets.keys()]).filter((name) => name !== own);
  const isJudged = (name: string) => source.readers.policies?.(targets.get(name)?.kind ?? "") !== undefined;
  const wanted = selected.filter((name) => targets.has(name) && isJudged(name));
  // A container in a rule is read by the applications that the question names.
  const keyOf = (name: string): string => JSON.stringify([name, ...[...new Set(applications)].sort()]);
  const missing = wanted.filter((name) => !known.has(keyOf(name)));
  // One whose credentials cannot be had does not keep the others from being read.
  const together = missing.length === 0 ? undefined : load(source, missing).catch(() => undefined);
  for (const name of missing)
    known.set(
      keyOf(name),
      limit(() => readOther(source, { name, applications }, async () => (await together) ?? (await load(source, [name])))),
    );
  return new Map(await Promise.all(wanted.map(async (name) => [name, await (known.get(keyOf(name)) as Promise<Other>)] as const)));
}

async function load(source: OthersSource, names: readonly string[]): Promise<LoadedDesired> {
  const key = names.join(" ");
  const begun = source.loads.get(key) ?? source.load(new LiveTrees(), names);
  source.loads.set(key, begun);
  begun.catch(() => source.loads.delete(key));
  return await begun;
}

async function readOther(
  { readers, kinds }: OthersSource,
  { name, applications }: { readonly name: string; readonly applications: readonly string[] },
  loading: () => Promise<LoadedDesired>,
): Promise<Other> {
  try {
    const { configuration: all, targets } = await loading();
    const configuration = all.targets.get(name);
    const role = readers.policies?.(configuration?.kind ?? "");
    if (configuration === undefined || role === undefined) throw new Error(`there is no target ${name}`);
    const desired = targets.get(name);
    const root = desired?.root ?? new TreeNode(kinds.get(configuration.kind)?.rootTag ?? "");
    const target = await readers.reader(configuration);
    try {
      await target.open();
      const paths = [...role.subtrees(root, configuration), ...(role.network?.(root, configuration) ?? [])];
      const tree = await target.read(paths, "running");
      const reader = await role.load();
      const rulebases = reader.rulebases([tree], await policyOptions(reader, [tree], applications, { target, desired, configuration }));
      return { parts: rulebases.flatMap((rulebase) => partOf(name, rulebase, 0) ?? []) };
    } finally {
      await target.close().catch(() => undefined);
    }
  } catch (error) {
    const cause = error instanceof PlumblineErrors ? error.errors[0] : error;
    return { failure: cause instanceof Error ? cause.message : String(cause) };
  }
}

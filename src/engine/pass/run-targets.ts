import { dirname } from "node:path";
import pLimit from "p-limit";
import { dayOf } from "../../core/day.js";
import { PlumblineError } from "../../core/errors.js";
import { endedByStop } from "../../core/interrupted.js";
import { Lazy } from "../../core/lazy.js";
import { during } from "../../core/observe.js";
import { find } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import type { Configuration, TargetConfiguration } from "../../desired/configuration/configuration.js";
import { loadDesired } from "../../desired/load.js";
import type { LoadedDesired, LoadOptions } from "../../desired/loaded.js";
import type { DesiredTarget } from "../../desired/model.js";
import { suggest } from "../../desired/suggest.js";
import { isInSync } from "../../outcome/in-sync.js";
import type { TargetOutcome } from "../../outcome/outcome.js";
import { AcceptedHistory } from "../accepted-history.js";
import { asPlumblineError } from "../apply/errors.js";
import { approvalsOfRun } from "../approvals.js";
import { type Checkout, readCheckout } from "../checkout/checkout.js";
import { hiddenPathsBelow } from "../checkout/hidden-paths.js";
import { Fingerprints, keyFrom, stateKey } from "../ledger/fingerprints.js";
import { ledgerPlace, openLedger } from "../ledger/open-ledger.js";
import { NoticeBoard, pauseOf } from "../notices.js";
import type { ReadTarget } from "../target.js";
import { approvalSettings } from "../target-branch.js";
import type { TargetContext, TargetDependencies, TargetRecords } from "./context.js";
import { withDeclaration } from "./declared-at.js";
import { folderIn } from "./folder.js";
import { loadWithLive } from "./load.js";
import type { PassOptions, Readers, StoreOptions } from "./options.js";
import type { OthersSource } from "./other-targets.js";
import { departedTargets, ownsOn, withUndeclaredTargets } from "./undeclared-targets.js";

/** Names of differing files that a warning has room for. */
const SHOWN_FILES = 3;

/** An outcome in progress. If an error ends the pass, it has the fields that were filled until then. */
export type OutcomeDraft = { -readonly [Field in keyof TargetOutcome]: TargetOutcome[Field] } & { warnings: string[] };

/** Work of a pass on one target. */
export type PassWork<Target extends ReadTarget> = (target: Target, context: TargetContext, draft: OutcomeDraft) => Promise<void>;

const CONCURRENCY = 8;

/** Reads the checkout, loads the complete desired state and creates one context for each target. */
export async function startPass(options: PassOptions, readers: Readers): Promise<TargetContext[]> {
  const folder = dirname(options.source.configurationFile);
  const checkout = await readCheckout(folder);
  const hidden = checkout.root === undefined ? [] : await hiddenPathsBelow(folder);
  const load = (live: LoadOptions["live"], referred: readonly string[]) =>
    loadDesired(options.source.configurationFile, {
      environment: options.source.environment,
      kinds: options.source.kinds,
      today: dayOf(options.machine.now()),
      resolveSecrets: true,
      mayRun: options.source.mayRun,
      hidden,
      live,
      unsaved: options.source.unsaved,
      ...(options.selection.targets.length === 0 ? {} : { targets: [...options.selection.targets, ...referred] }),
    });
  const isForgotten = options.selection.withUndeclared === true ? () => true : undefined;
  const first = await contextsOf({ options, readers, checkout, load, isForgotten }, new Set());
  for (const warning of first.loaded.warnings) options.listeners.warn?.(warning);
  const targetsOmitted = first.loaded.configuration.targets.size - first.contexts.length;
  return options.selection.targets.length === 0
    ? withDeparted(first.contexts, first.loaded.configuration)
    : first.contexts.map((context) => ({ ...context, run: { ...context.run, targetsOmitted } }));
}

/** Lets the first context that can be planned look for targets that left the configuration, so that the report warns of them once. */
function withDeparted(contexts: TargetContext[], configuration: Configuration): TargetContext[] {
  const first = contexts.find(({ dependencies: { broken } }) => broken.length === 0);
  if (first === undefined) return contexts;
  const departed = () =>
    departedTargets(configuration, first.records.ledger, first.records.leases).catch((error: unknown) => [
      `targets that left the configuration are not known: ${String(error)}`,
    ]);
  return contexts.map((context) => (context === first ? { ...context, run: { ...context.run, departed } } : context));
}

export interface PassSource {
  readonly options: PassOptions;
  readonly readers: Readers;
  readonly checkout: Checkout;
  load(live: LoadOptions["live"], referred: readonly string[]): Promise<LoadedDesired>;
  /** Returns whether a target without documents may have managed objects. The default reads the ledger. */
  readonly isForgotten?: ((target: string) => boolean) | undefined;
}

/** Loads the desired state with live values and creates a context for each wanted target. Targets in `settled` are no longer written. */
export async function contextsOf(
  source: PassSource,
  settled: ReadonlySet<string>,
): Promise<{ readonly contexts: TargetContext[]; readonly loaded: LoadedDesired }> {
  const { options, readers, checkout } = source;
  const isWanted = (name: string) => options.selection.targets.length === 0 || options.selection.targets.includes(name);
  const willBeWritten = (name: string, { configuration }: LoadedDesired) =>
    (isWanted(name) || options.selection.acceptKnownAfterApply === true) &&
    !settled.has(name) &&
    configuration.targets.get(name)?.mode === "enforce";
  const loaded = await loadWithLive({ readers, kinds: options.source.kinds, load: source.load, willBeWritten, hasCredentials: isWanted });
  const isAwaited = (name: string): boolean => willBeWritten(name, loaded);
  const { ledger: setting, store } = loaded.configuration;
  const place = await ledgerPlace(options.stores.ledger ?? setting, store, options.stores.storeLedgers);
  const { ledger, notices, leases } = await openLedger(place, checkout, options.stores.stateFolder, options.stores.storeLedgers, () =>
    options.machine.monotonic(),
  );
  const fingerprints = new Fingerprints(await fingerprintKeyOf(loaded.configuration, options.stores));
  const history = new AcceptedHistory({
    checkout,
    configurationFile: options.source.configurationFile,
    kinds: options.source.kinds,
    environment: options.source.environment,
    today: dayOf(options.machine.now()),
  });
  const board = new NoticeBoard(notices, loaded.configuration.owner);
  // The status may use the listing that the ledger has just read. A write reads the shared place again.
  const known = new NoticeBoard(place === "store" ? notices : leases, loaded.configuration.owner);
  const pauses = new Lazy(() => known.pauses(options.machine.now()));
  const records: TargetRecords = {
    pauses: () => pauses.get(),
    history,
    ledger,
    leases,
    notices: board,
    approvals: approvalsOfRun(
      board,
      loaded.configuration,
      () => approvalSettings(loaded.configuration, checkout, options.source.kinds),
      options.stores.storedApprovals,
    ),
    fingerprints,
  };
  const others = othersOf(source, loaded);
  const reload = reloader(source);
  const { isForgotten = (target) => ownsOn(ledger, loaded.configuration.owner, target) } = source;
  const names = options.selection.targets.length === 0 ? loaded.configuration.targets.keys() : options.selection.targets;
  const all = await withUndeclaredTargets(loaded, options.source.kinds, names, isForgotten);
  const wanted = await Promise.all(wantedTargets(options, all).map((name) => contextOf(name, all, readers, isAwaited)));
  return {
    contexts: wanted.map((context) => ({
      ...context,
      checkout,
      options,
      records,
      dependencies: { ...context.dependencies, others },
      reload,
    })),
    loaded,
  };
}

/** Returns how to read other targets. A pass over all targets already has their credentials. */
function othersOf({ options, readers, load }: PassSource, loaded: LoadedDesired): OthersSource {
  const { targets } = loaded.configuration;
  return {
    readers,
    targets,
    kinds: options.source.kinds,
    loads: new Map(),
    load: options.selection.targets.length === 0 ? async () => loaded : load,
  };
}

/** Reloads the desired state, once for all targets that wait for the same dependencies. */
function reloader(source: PassSource): (this: TargetContext, settled: ReadonlySet<string>) => Promise<TargetContext> {
  const loads = new Map<number, Promise<{ readonly contexts: TargetContext[] }>>();
  return async function (this: TargetContext, settled) {
    const loading = loads.get(settled.size) ?? contextsOf(source, new Set(settled));
    loads.set(settled.size, loading);
    const found = (await loading).contexts.find(({ name }) => name === this.name);
    if (found === undefined || !found.desired.sources.holdsSameAs(this.desired.sources)) {
      throw new PlumblineError("plan-moved", "The desired state changed during the run", {
        where: { target: this.name },
        next: "Run again.",
        severity: "refused",
      });
    }
    return { ...found, run: { ...found.run, targetsOmitted: this.run.targetsOmitted, departed: this.run.departed } };
  };
}

async function fingerprintKeyOf(
  { fingerprintKey }: Configuration,
  stores: Pick<StoreOptions, "fingerprintKey" | "stateFolder">,
): Promise<Buffer> {
  if (stores.fingerprintKey !== undefined) return stores.fingerprintKey;
  return fingerprintKey === undefined ? await stateKey(stores.stateFolder) : keyFrom(fingerprintKey);
}

/** Works on targets in parallel, up to `concurrency`. An error of one target is in its outcome and does not stop the others. */
export async function runTargets<Target extends ReadTarget>(
  contexts: readonly TargetContext[],
  connect: (configuration: TargetConfiguration) => Target | Promise<Target>,
  work: PassWork<Target>,
): Promise<TargetOutcome[]> {
  const { concurrency, listeners } = contexts[0]?.options ?? {};
  const limit = pLimit(concurrency ?? CONCURRENCY);
  listeners?.tally?.(contexts.length, 0);
  const one = async (context: TargetContext): Promise<TargetOutcome> => {
    const outcome = await passOne(context, connect, work);
    listeners?.tally?.(0, 1);
    return outcome;
  };
  return await Promise.all(contexts.map((context) => limit(() => one(context))));
}

async function passOne<Target extends ReadTarget>(
  context: TargetContext,
  connect: (configuration: TargetConfiguration) => Target | Promise<Target>,
  work: PassWork<Target>,
): Promise<TargetOutcome> {
  const { name, configuration, desired } = context;
  const draft: OutcomeDraft = {
    target: name,
    kind: configuration.kind,
    mode: configuration.mode,
    sources: desired.sources,
    folder: folderIn(context.checkout),
    narrowed: context.options.selection.only?.toString(),
    targetsOmitted: context.run.targetsOmitted,
    warnings: warningsOf(context),
  };
  let target: Target | undefined;
  try {
    await during("pass", async () => {
      if (context.dependencies.broken.length > 0) throw allOf(context.dependencies.broken, name);
      target = await connect(configuration);
      draft.shape = target.shape;
      await work(target, context, draft);
    });
    await notePause(context, draft);
  } catch (error) {
    draft.error = withDeclaration(endedByStop(asPlumblineError(error, name), context.options.stop), desired);
  } finally {
    await target?.close().catch((error: unknown) => draft.warnings.push(`closing: ${String(error)}`));
  }
  return draft;
}

/** Notes the pause of a target that would otherwise be reported as in sync. A run that wrote has read the pauses before its write. */
async function notePause({ name, records: { pauses } }: TargetContext, draft: OutcomeDraft): Promise<void> {
  const { applied, plan, drift } = draft;
  const wrote = applied !== undefined && (applied.operations > 0 || applied.commit === "committed");
  if ((plan === undefined && drift === undefined) || wrote || !isInSync(draft)) return;
  try {
    const pause = pauseOf(await pauses(), name);
    if (pause !== undefined) draft.paused = `${pause.by}: ${pause.reason}`;
  } catch (error) {
    draft.unread = [...(draft.unread ?? []), `the pauses: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function allOf([first, ...others]: readonly PlumblineError[], target: string): PlumblineError | undefined {
  if (first === undefined || others.length === 0) return first;
  const { code, message, where, next } = first;
  return new PlumblineError(code, `${message} (and ${others.length} more like it)`, {
    where: { ...where, target },
    next,
    cause: first.cause,
  });
}

function wantedTargets(options: PassOptions, loaded: LoadedDesired): string[] {
  const known = loaded.configuration.targets;
  const unknown = options.selection.targets.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new PlumblineError("target-unknown", `There is no target "${unknown}"`, {
      where: { file: loaded.configuration.file },
      next: suggest(unknown, [...known.keys()]),
    });
  }
  const wanted = options.selection.targets.length === 0 ? [...known.keys()] : options.selection.targets;
  return wanted.filter((name) => loaded.targets.has(name));
}

/** Returns whether documents declare or prune anything at or below a path. */
function concerns({ root, exclusive }: DesiredTarget, only: Path): boolean {
  return find(root, only) !== undefined || exclusive.some((list) => list.contains(only) || only.contains(list));
}

interface LoadedContext extends Omit<TargetContext, "reload" | "checkout" | "records" | "dependencies" | "options"> {
  readonly dependencies: Omit<TargetDependencies, "others">;
}

/** Returns the part of the context that comes from the desired state. */
async function contextOf(
  name: string,
  loaded: LoadedDesired,
  readers: Readers,
  isAwaited: (target: string) => boolean,
): Promise<LoadedContext> {
  const { owner, administrators, guards, targets, pathModes, agent, design } = loaded.configuration;
  const configuration = targets.get(name);
  const desired = loaded.targets.get(name);
  if (configuration === undefined || desired === undefined) throw new Error(`no desired state for ${name}`);
  return {
    name,
    owner,
    configuration,
    desired,
    settings: {
      administrators,
      windows: agent.windows,
      rollout: agent.rollout,
      guards,
      design,
      pathModes: pathModes.get(name) ?? new Map(),
    },
    dependencies: {
      dependsOn: loaded.references.get(name)?.targets ?? new Set(),
      awaitsDependencies: [...(loaded.references.get(name)?.targets ?? [])].some(isAwaited),
      hasKnownAfterApply: loaded.later.has(name),
      leftOut: loaded.leftOut.get(name) ?? [],
      broken: loaded.broken.get(name) ?? [],
    },
    run: {},
    kindGuards: await readers.guards(configuration.kind),
    policies: readers.policies?.(configuration.kind),
  };
}

function warningsOf({
  configuration,
  desired,
  checkout,
  options: {
    selection: { only, withUndeclared },
  },
  dependencies: { leftOut },
}: TargetContext): string[] {
  const warnings = treeWarnings(checkout);
  if (configuration.tls?.insecure === true) warnings.push("TLS is not verified (insecure: true)");
  if (configuration.tls?.plaintext === true) warnings.push("credentials may go by plain http (plaintext: true)");
  if (withUndeclared !== true && desired.root.children.length === 0 && desired.exclusive.length === 0)
    warnings.push("no document declares anything for this target: all of its ledger objects would be deleted");
  if (only !== undefined && !concerns(desired, only)) warnings.push(`no document declares anything at or below ${only}`);
  return [...warnings, ...leftOut];
}

/** Warnings for a desired state outside of a commit: a file may be truncated or missing. */
function treeWarnings({ root, commit, differing }: Checkout): string[] {
  if (root === undefined) return ["the desired state is not in a git repository, so missing files cannot be detected"];
  if (differing.length === 0) return [];
  const more = differing.length > SHOWN_FILES ? ` and ${differing.length - SHOWN_FILES} more` : "";
  return [
    `uncommitted changes in ${differing.slice(0, SHOWN_FILES).join(", ")}${more}${commit === undefined ? "" : ` (since commit ${commit.slice(0, 8)})`}`,
  ];
}

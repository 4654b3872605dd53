import { hkdfSync } from "node:crypto";
import { setMaxListeners } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, relative, sep } from "node:path";
import { dayOf } from "../core/day.js";
import { PlumblineError } from "../core/errors.js";
import { expectEncrypted, type PlaintextSetting } from "../core/plaintext-http.js";
import { redactUrls } from "../core/redact-urls.js";
import { SecretValue } from "../core/secret.js";
import { version } from "../core/version.js";
import type { AgentConfiguration } from "../desired/configuration/agent.js";
import type { Configuration } from "../desired/configuration/configuration.js";
import { daysUntil, nearEnds, type RuleEnd } from "../desired/rule-end.js";
import { SecretReader } from "../desired/secrets.js";
import { isSecretReference, parseTemplate } from "../desired/template.js";
import { Windows } from "../engine/change-windows.js";
import { type Checkout, readCheckout } from "../engine/checkout/checkout.js";
import type { Git } from "../engine/checkout/git.js";
import { DeviceRegistry } from "../engine/device-registry.js";
import { UnchangedSince } from "../engine/lease/unchanged-since.js";
import { stateKey } from "../engine/ledger/fingerprints.js";
import { NoticeBoard } from "../engine/notices.js";
import type { Machine } from "../engine/pass/machine.js";
import type { AgentPassOptions, SourceOptions, WriteOptions, Writers } from "../engine/pass/options.js";
import { departedTargets, ownsOn } from "../engine/pass/undeclared-targets.js";
import { SignedNotices } from "../engine/signed-notices.js";
import { activeRuns } from "./active-runs.js";
import { Agent } from "./agent.js";
import { AgentLedgers, type AgentLedgersOptions } from "./agent-ledgers.js";
import { AgentNotices } from "./agent-notices.js";
import type { AgentClock } from "./clock.js";
import { closedOnStop } from "./close-on-stop.js";
import type { CommitIndex } from "./commit-index.js";
import { Contexts } from "./contexts.js";
import { type AgentControls, controlsOf } from "./controls.js";
import { DriftTracker } from "./drift-tracker.js";
import { countEnding, type EndingIgnores } from "./ending-ignores.js";
import { EventStream } from "./events.js";
import { gitEnvironment, refusePasswordIn } from "./git/address.js";
import { Clone } from "./git/clone.js";
import { cloneFailure, isCorrupt } from "./git/clone-failure.js";
import { watchCommits } from "./git/ref-watch.js";
import { HealGuard } from "./heal-guard.js";
import { Health } from "./health.js";
import { type AgentServer, type Page, serveAgent, type Web } from "./http.js";
import type { CommitLoader } from "./loading/loader.js";
import type { AgentLoop } from "./loop.js";
import { PauseWatch } from "./pause-watch.js";
import { recordEvents } from "./record-events.js";
import { Recorder } from "./recorder.js";
import { removedTargetsListener } from "./removed-targets.js";
import { Rollouts, storeStatus } from "./rollouts.js";
import { DatabaseClock } from "./shared/database-clock.js";
import { SharedAgent } from "./shared/shared-agent.js";
import { Source } from "./source.js";
import type { Member } from "./store/shared/members.js";
import { runnerName, type Store } from "./store/store.js";
import { storedAbsences } from "./stored-absences.js";
import { TrafficKeeper } from "./traffic-keeper.js";
import type { VisitParts } from "./visit-parts.js";
import { WakeableSleep } from "./wakeable-sleep.js";
import { WebhookGate } from "./webhook.js";

export interface AgentOptions {
  /**
   * Settings of `agent:` from flags and the local plumbline.yaml. The settings of the active commit replace them, except source, http and
   * webhook.
   */
  readonly settings: AgentConfiguration;
  /** Settings from flags. No commit overrides them. */
  readonly fixed: Partial<AgentConfiguration>;
  /** Local plumbline.yaml. Undefined if the source is set in another way. */
  readonly configurationFile: string | undefined;
  readonly store: Store;
  readonly pass: AgentPassOptions;
  readonly write: WriteOptions;
  readonly writers: Writers;
  readonly load: CommitLoader;
  readonly clock: AgentClock;
  readonly stop: AbortSignal;
  readonly onFault: (error: unknown, about: string) => void;
  readonly propose?: VisitParts["propose"];
  readonly proposeEnds?: VisitParts["proposeEnds"];
  /** Duration of a target lease in milliseconds, if agents share a store. The default comes from the settings. */
  readonly lease?: number | undefined;
}

export interface OpenAgent {
  readonly agent: AgentLoop;
  readonly events: EventStream;
  readonly health: Health;
  /** Targets in the active commit. */
  targets(): readonly string[];
  /** Ignores that end soon or have ended, by target. */
  ignores(): ReadonlyMap<string, EndingIgnores>;
  /** Days until the last days of rules that have ended or end soon, by target, the earliest first. */
  ruleEnds(): ReadonlyMap<string, readonly number[]>;
  settings(): AgentConfiguration;
  /** This process, see `runnerName`. */
  readonly runner: string;
  /** Returns a new reader for secrets, relative to the plumbline.yaml of the active commit. */
  secrets(): SecretReader;
  /** Display name of the repository. */
  readonly source: string;
  /** Actions for the page and the commands. */
  readonly controls: AgentControls;
  /** Resolves a reference of the initial settings, or the variable if that is set. */
  secretAtStart(reference: string | undefined, variable?: string): Promise<SecretValue | undefined>;
  /** Default key for page sessions. It is created once and kept in the state folder. */
  sessionKey(): Promise<Buffer>;
  /** Serves health, webhook, `pages` and `web`, and watches a local repository. Returns a handle that stops both. */
  serve(pages: ReadonlyMap<string, Page>, web?: Web): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** Creates an agent. Reads only the name of the local repository, and writes nothing. @throws PlumblineError `address-in-the-clear` */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: parts that need each other are put together in one place.
export async function openAgent(options: AgentOptions): Promise<OpenAgent> {
  const { settings, store, stop, pass } = options;
  const databaseClock = new DatabaseClock(options.clock);
  const clock = store.shared === undefined ? options.clock : databaseClock;
  // Each reader and each running git process adds a listener. Their number is limited by the concurrency.
  setMaxListeners(0, stop);
  const events = new EventStream(
    () => clock.now(),
    (error, event) => options.onFault(error, event.type),
  );
  const health = new Health(clock);
  events.listen((event) => health.listen(event));
  const local = options.configurationFile === undefined ? undefined : await readCheckout(dirname(options.configurationFile));
  const url = settings.source.url ?? local?.root;
  if (url === undefined) throw noSource();
  refusePasswordIn(url);
  // Name of the repository in the store, in events and on the page.
  const shownUrl = redactUrls(url);
  const password = await secretOf(settings.source.password, "PLUMBLINE_GIT_PASSWORD", options);
  if (password !== undefined) expectEncrypted(url, plaintextWord(settings, pass.source.environment));
  const access = { url, username: settings.source.username, password };
  const clone = new Clone({
    access,
    branch: settings.source.branch,
    tag: settings.source.tag,
    stateFolder: pass.stores.stateFolder,
    environment: pass.source.environment,
    stop,
  });
  const current: { windows: Windows; settings: AgentConfiguration } = { windows: new Windows(settings.windows), settings };
  const accept = async (index: CommitIndex): Promise<void> => {
    const { agent } = index.configuration;
    if (store.shared !== undefined) refuseKeysApart(index);
    const { source, http, webhookSecret, page } = settings;
    const windows = new Windows(options.fixed.windows ?? agent.windows);
    current.windows = windows;
    const atStart = { http, webhookSecret, page };
    current.settings = { ...agent, source: { ...source, interval: agent.source.interval }, ...atStart, ...options.fixed };
  };
  const source = new Source({
    clone,
    path: pathIn(settings, local, url, options.configurationFile),
    signatures: settings.source.signatures,
    lineage: settings.source,
    kinds: pass.source.kinds,
    environment: pass.source.environment,
    clock,
    events,
    load: options.load,
    owns: (owner, target, setting) => ownsOn(ledgers.at(setting), owner, target),
    lastGood: async () => (await recorder.read(({ sources }) => sources.lastGood(shownUrl), undefined))?.commit,
    accept,
  });
  const ledgers = new AgentLedgers({
    flag: pass.stores.ledger,
    stored: store.ledgers,
    isShared: store.shared !== undefined,
    manualCheckout: () =>
      manualCheckoutOf(
        source,
        noticingDamage(clone, source, () => agent.fetchSoon("git")),
        local,
        url,
      ),
    stateFolder: pass.stores.stateFolder,
    monotonic: () => clock.monotonic(),
  });
  const storeLedgers = { isShared: async () => store.shared !== undefined, open: async () => store.ledgers };
  const ledger = ledgers.following(() => source.inForce?.configuration.ledger);
  const signed = new SignedNotices({
    settings: () => source.inForce && { owner: source.inForce.configuration.owner, rights: settings.page.rights },
    allowedSigners: async () => {
      const file = await clone.allowedSigners(settings.source.signatures?.allowedSigners);
      return file === undefined ? undefined : { file };
    },
  });
  const board = () => boardOf(source, ledgers);
  const repository = () => {
    const folder = manualCheckoutOf(source, clone.git, local, url).checkout.root ?? clone.folder;
    return { folder, login: gitEnvironment(access, pass.source.environment) };
  };
  const notices = new AgentNotices({ store, board, signed, stateFolder: pass.stores.stateFolder, now: () => clock.now() });
  const find = async (configuration: Configuration) =>
    await departedTargets(configuration, ledgers.at(configuration.ledger), ledgers.leases(configuration.ledger));
  events.listen(removedTargetsListener({ source, find, events }));
  const recorder = new Recorder(store, events);
  events.listen(recordEvents(recorder, shownUrl));
  const writers = closedOnStop(options.writers, stop);
  const rollouts = new Rollouts(events, recorder, shownUrl);
  events.listen(storeStatus(recorder, shownUrl, () => agent.rollout()));
  const wake = new WakeableSleep(clock);
  const contexts = new Contexts({
    source,
    readers: writers,
    pass: {
      ...pass,
      stop,
      overrides: { ...pass.overrides, allowRewind: settings.source.allowRewind },
      stores: {
        ...pass.stores,
        devices: new DeviceRegistry((name) => source.inForce?.targets.has(name) === true),
        storeLedgers,
        absences: storedAbsences(store, () => clock.now()),
      },
      listeners: { ...pass.listeners, pushing: (target, course) => void events.emit({ type: "push-moved", target, course }) },
    },
    ledger,
    leases: () => ledgers.leases(source.inForce?.configuration.ledger),
    notices,
    key: store.shared?.key,
  });
  const parts = {
    source,
    contexts,
    recorder,
    events,
    clock,
    writers,
    write: options.write,
    notices,
    tracker: new DriftTracker(events),
    healGuard: new HealGuard(() => current.settings.healLimit),
    settings: () => current.settings,
    windows: () => current.windows,
    hasTurn: (target: string) => rollouts.hasTurn(target),
    atOnce: async (target: string) => rollouts.atOnce(target),
    version,
    runner: runnerName(pass.machine),
    propose: options.propose,
    proposeEnds: options.proposeEnds,
    traffic: new TrafficKeeper({
      ...{ source, contexts, clock, store, stop, wake, readers: writers, stateFolder: pass.stores.stateFolder, onFault: options.onFault },
      settings: () => current.settings,
    }),
    pauses: new PauseWatch(notices, recorder, events, clock),
    health,
    wake,
    onFault: options.onFault,
  };
  const seen = new UnchangedSince(pass.stores.stateFolder, pass.machine);
  const atWork = (names: readonly string[]) => activeRuns(names, contexts, { connect: writers.reader, machine: pass.machine, seen });
  const { shared: work } = store;
  const lease = options.lease ?? settings.lease;
  const agent: AgentLoop =
    work === undefined
      ? new Agent({ ...parts, rollouts })
      : new SharedAgent({
          ...parts,
          clock: databaseClock,
          work,
          lease,
          member: memberOf(pass.machine, lease),
          repository: repositoryName(shownUrl, settings),
        });
  const serve: OpenAgent["serve"] = async (pages, web) => {
    const secret = await secretOf(settings.webhookSecret, "PLUMBLINE_WEBHOOK_SECRET", options);
    const gate = secret === undefined ? undefined : new WebhookGate(secret);
    const onPush = (): void => agent.fetchSoon("webhook");
    const { address } = settings.page;
    const names = [...settings.http.names, ...(address === undefined ? [] : [new URL(address).hostname])];
    const server: AgentServer = await serveAgent({ ...settings.http, names, health, gate, onPush, pages, web });
    const unwatch = existsSync(url) ? await watchCommits(url, () => agent.fetchSoon("git")) : async () => undefined;
    return {
      url: server.url,
      close: async () => {
        await Promise.all([server.close(), unwatch()]);
      },
    };
  };
  return {
    agent,
    events,
    health,
    targets: () => [...(source.inForce?.targets.keys() ?? [])],
    ignores: () => new Map([...(source.inForce?.targets ?? [])].map(([name, { ignores }]) => [name, countEnding(ignores, clock.now())])),
    ruleEnds: () => {
      const today = dayOf(clock.now());
      const daysOf = (ends: readonly RuleEnd[]) => nearEnds(ends, today).map(({ until }) => daysUntil(until, today));
      return new Map([...(source.inForce?.targets ?? [])].map(([name, { ruleEnds }]) => [name, daysOf(ruleEnds)]));
    },
    settings: () => current.settings,
    secrets: () => new SecretReader(pass.source.environment, source.checkout.folder, pass.source.mayRun),
    source: shownUrl,
    runner: parts.runner,
    controls: controlsOf({ agent, source, notices, clock, atWork, repository }),
    secretAtStart: (reference, variable = "") => secretOf(reference, variable, options),
    sessionKey: async () => Buffer.from(hkdfSync("sha256", await stateKey(pass.stores.stateFolder), "", "plumbline page session", 32)),
    serve,
  };
}

/** All agents must compute the same fingerprint for a secret that one of them has written. */
function refuseKeysApart({ parsed, targets }: CommitIndex): void {
  const target = [...targets].find(([, { references }]) => references.secrets.length > 0)?.[0];
  if (target === undefined || parsed.text.fingerprintKey !== undefined) return;
  throw new PlumblineError(
    "fingerprint-key-missing",
    "Several agents write secrets, and plumbline.yaml names no fingerprintKey for all of them",
    {
      where: { target, file: parsed.file },
      next: 'Write `fingerprintKey: "${env:PLUMBLINE_FINGERPRINT_KEY}"` into plumbline.yaml, and give every agent that variable.',
      severity: "refused",
    },
  );
}

function memberOf(machine: Machine, lease: number): Member {
  const { host, pid } = machine;
  const name = hostname();
  return { id: `${name}:${pid}:${machine.random()}`, host, hostname: name, pid, started: machine.now(), version, goneAfter: 1.5 * lease };
}

/** Key for the active commit. Agents that follow the same branch of the same repository share it. */
function repositoryName(url: string, { source: { branch, tag, path } }: AgentConfiguration): string {
  return [url, tag === undefined ? `branch:${branch ?? ""}` : `tag:${tag}`, ...(path === undefined ? [] : [path])].join(" ");
}

/** Returns the checkout that a manual run in the same repository would use. */
function manualCheckoutOf(
  source: Source,
  git: Git,
  local: Checkout | undefined,
  url: string,
): ReturnType<AgentLedgersOptions["manualCheckout"]> {
  const isLocal = local?.root !== undefined && local.root === url;
  return isLocal ? { checkout: local, git: undefined } : { checkout: source.checkout, git };
}

/** Returns git in the clone for ledgers. It reports corrupt objects, because a fetch of the source may never read them. */
function noticingDamage(clone: Clone, source: Source, fetchSoon: () => void): Git {
  return async (args, input) => {
    const result = await clone.git(args, input);
    if (result.code === 0 || !isCorrupt(result)) return result;
    source.foundDamaged(cloneFailure(clone.folder, result));
    fetchSoon();
    return result;
  };
}

function boardOf({ inForce }: Source, ledgers: AgentLedgers): NoticeBoard | undefined {
  if (inForce === undefined) return undefined;
  return new NoticeBoard(ledgers.board(inForce.configuration.ledger), inForce.configuration.owner);
}

function pathIn({ source }: AgentConfiguration, local: Checkout | undefined, url: string, file: string | undefined): string | undefined {
  if (source.path !== undefined) return source.path;
  if (local?.root === undefined || file === undefined) return undefined;
  const isSameRepository = local.root === url || source.url !== undefined;
  return isSameRepository ? relative(local.root, realpathSync(file)).split(sep).join("/") : undefined;
}

async function secretOf(
  reference: string | undefined,
  variable: string,
  { pass, configurationFile }: AgentOptions,
): Promise<SecretValue | undefined> {
  const fromEnvironment = pass.source.environment[variable];
  if (fromEnvironment !== undefined && fromEnvironment !== "") return new SecretValue(fromEnvironment, `\${env:${variable}}`);
  if (reference === undefined) return undefined;
  const template = parseTemplate(reference);
  const part = "unclosedAt" in template ? undefined : template[0];
  if (part === undefined || !isSecretReference(part)) return undefined;
  const folder = configurationFile === undefined ? process.cwd() : dirname(configurationFile);
  const value = await new SecretReader(pass.source.environment, folder, pass.source.mayRun).read(part, { file: configurationFile });
  return new SecretValue(value, reference);
}

function plaintextWord({ source }: AgentConfiguration, environment: SourceOptions["environment"]): PlaintextSetting {
  const isPlaintextAllowed = source.plaintext || environment.PLUMBLINE_GIT_PLAINTEXT === "true";
  return { isAllowed: isPlaintextAllowed, word: "plaintext: true below agent.source, or PLUMBLINE_GIT_PLAINTEXT=true" };
}

function noSource(): PlumblineError {
  return new PlumblineError("agent-source-missing", "There is no repository to watch.", {
    next: "Run it in a git checkout that has a plumbline.yaml, or name a repository with --source or agent.source.url.",
  });
}

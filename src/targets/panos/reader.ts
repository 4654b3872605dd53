import { createHash } from "node:crypto";
import { PlumblineError } from "../../core/errors.js";
import { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { protectSecrets } from "../../core/tree/stored-secrets.js";
import type { LogReader } from "../../engine/log-reader.js";
import type { Digests, Managed, ManagedBy, OnDoubt, Opened, PendingAndLocks, PushedNode, ReadTarget, Who } from "../../engine/target.js";
import type { TargetMemory } from "../../engine/target-memory.js";
import type { ManagedFirewall } from "../../outcome/managed-firewalls.js";
import type { Attribution } from "../../plan/diff/change.js";
import type { PendingChange, View } from "../../plan/platform.js";
import type { PredefinedApplication } from "../../reachability/policy-role.js";
import type { Counters, LogRecord, LogSearch, LogSearchWaiter, Logs, Resolver } from "../../reachability/policy-target.js";
import { Attributor } from "./attribution/attribution.js";
import { panosTrials } from "./capability-trials.js";
import { showPushedPolicy, showPushedTemplate } from "./client/commands.js";
import type { PanosDependencies, PanosOptions } from "./dependencies.js";
import { readHighAvailability } from "./high-availability.js";
import { isManager } from "./is-manager.js";
import { readLocks } from "./locks.js";
import { logPages } from "./log-pages.js";
import { LogClient } from "./log-query.js";
import { readRecord } from "./log-record.js";
import { deviceTime, filterBetween, filterFor, logTime } from "./log-time.js";
import { readFirewallStates } from "./managed/firewall-state.js";
import { beyondFirewalls } from "./managed/reached.js";
import { readVersions } from "./managed/read-versions.js";
import type { ChangedSources } from "./managed/versions-that-change.js";
import { readPending } from "./pending.js";
import { ASSUMED } from "./policy/reading.js";
import type { Projection } from "./projection/projection.js";
import { FIREWALLS, TEMPLATES } from "./pushed-paths.js";
import { digestOf } from "./read/digest.js";
import { readSubtree } from "./read/read-subtree.js";
import { readTree } from "./read/read-tree.js";
import { deviceEntry } from "./scope.js";
import { type OpenSession, PanosSession } from "./session.js";
import type { PanosTargetConfiguration } from "./settings.js";
import { panosShape } from "./shape.js";
import { identityOf, readSystemInfo } from "./system-info.js";

const SYSTEMS = deviceEntry.child("vsys");

/** Reads one firewall, or the active one of a pair. Never changes it. */
export class PanosReader implements ReadTarget, LogReader {
  readonly kind = "panos";
  readonly name: string;
  readonly shape = panosShape();
  protected readonly session: PanosSession;
  protected readonly dependencies: PanosDependencies;
  protected readonly options: PanosOptions;
  readonly digests: Digests = {
    digest: (subtrees, listed) =>
      this.#digest(
        subtrees.filter((path) => !path.equals(FIREWALLS)),
        listed,
      ).catch(() => undefined),
  };
  readonly who: Who = {
    serial: async () => identityOf(await this.status(), "unknown").serial,
    role: async () => (await readHighAvailability((await this.session.current()).client)).role,
  };
  readonly pendingAndLocks: PendingAndLocks = {
    pending: async () => readPending(await this.session.current()),
    locks: async (kind) => readLocks(await this.session.current(), kind),
  };
  readonly managed: Managed = {
    beyond: (paths) => beyondFirewalls(paths),
    firewalls: async (reach) => readFirewallStates(await this.session.current(), reach, this.#pushes),
    pushes: async () => {
      const { client, identity } = await this.session.current();
      return isManager(identity) ? await (await import("./managed/read-pushes.js")).readPushes(client) : [];
    },
    versions: async () => readVersions(await this.session.current()),
    bearing: async (rows) => await this.#bearing(rows),
    touched: async (places, versions) => {
      const { readChangedSources, touchedKey } = await import("./managed/versions-that-change.js");
      await readChangedSources((await this.session.current()).client, places, versions, this.#touched);
      return (place, version) => this.#touched.get(touchedKey(place, version)) ?? true;
    },
    verify: async (rows, planned = []) => {
      if (!rows.some(({ connected }) => connected)) return rows;
      const [projection, { verifyFirewalls }] = await Promise.all([this.#projected(), import("./managed/verify-firewalls.js")]);
      return await verifyFirewalls((await this.session.current()).client, projection.after(planned), rows);
    },
    local: async (rows) => {
      if (!rows.some(({ connected }) => connected)) return [];
      const [projection, { readLocalConflicts }] = await Promise.all([this.#projected(), import("./managed/read-local-conflicts.js")]);
      return await readLocalConflicts((await this.session.current()).client, projection, rows);
    },
  };
  readonly managedBy?: ManagedBy;
  /** Applications of the device that were read, by name. */
  readonly #applications = new Map<string, PredefinedApplication>();
  readonly trials = panosTrials;
  readonly counters: Counters = {
    ruleHits: async (scope) => {
      if (!/^vsys\d+$/.test(scope)) return undefined;
      const { readRuleHits } = await import("./rule-hits.js");
      return await readRuleHits((await this.session.current()).client, scope);
    },
    managedRuleHits: async (scope, rules) => {
      const [, group] = /^device-group\/(.+)$/.exec(scope) ?? [];
      if (group === undefined) return undefined;
      const { readManagedRuleHits } = await import("./rule-hits.js");
      return await readManagedRuleHits((await this.session.current()).client, group, rules);
    },
  };
  readonly resolver: Resolver = {
    lookUp: async (tree, view) => {
      const [{ client }, { readResolvedNames }] = await Promise.all([this.session.current(), import("./resolved-names.js")]);
      return await readResolvedNames(client, tree, view);
    },
    applications: async (names) => {
      const [{ client }, { readApplications }] = await Promise.all([this.session.current(), import("./predefined-applications.js")]);
      const missing = names.filter((name) => !this.#applications.has(name));
      const read = missing.length === 0 ? undefined : await readApplications(client, missing);
      for (const [name, application] of read ?? []) this.#applications.set(name, application);
      return new Map(this.#applications);
    },
  };
  readonly logs: Logs = {
    deviceTime: async () => {
      const time = deviceTime((await this.status()).get("time") ?? "");
      return time === undefined ? undefined : logTime(time);
    },
    records: async ({ type, query, since, until, most }) => {
      const search = { type, query: filterBetween(since, until, query), count: most, direction: "backward" } as const;
      const { records } = await (await this.logClient()).query(search);
      return records.map(readRecord);
    },
    pages: (search, waiter) => this.searchLogs(search, waiter),
  };
  readonly #attributor: Attributor;
  readonly #watchesFirewalls: boolean;
  readonly #firewalls: PanosTargetConfiguration["firewalls"];
  readonly #pushes: boolean;
  readonly #reading: PanosTargetConfiguration["reading"];
  readonly #manager: PanosReader | undefined;
  readonly #isRelayed: boolean;
  readonly #touched: ChangedSources = new Map();
  /** For each firewall: the version of this manager that its configuration corresponds to. Only for a pair of managers. */
  readonly #bearingOf = new Map<string, string | undefined>();
  readonly #readsFirewalls: boolean;
  #projection: { readonly version: number | undefined; readonly projection: Promise<Projection> } | undefined;
  #candidate: { readonly subtrees: readonly Path[]; readonly tree: Promise<TreeNode> } | undefined;
  #running: readonly Path[] = [];

  constructor(configuration: PanosTargetConfiguration, dependencies: PanosDependencies, options: PanosOptions = {}) {
    this.name = configuration.name;
    this.dependencies = dependencies;
    this.options = options;
    this.#watchesFirewalls = ["watch", "verify"].includes(configuration.firewalls) || configuration.offline !== undefined;
    this.#firewalls = configuration.firewalls;
    this.#pushes = configuration.push !== undefined;
    this.#readsFirewalls = configuration.push?.arrival !== "manager";
    this.#reading = configuration.reading;
    this.#isRelayed = configuration.through !== undefined;
    const { manager } = configuration;
    this.#manager = manager === undefined ? undefined : new PanosReader(manager, dependencies, options);
    if (this.#manager !== undefined) this.managedBy = { handedAt: (path) => this.#handedAt(path) };
    this.session = new PanosSession(configuration, dependencies, options);
    this.#attributor = new Attributor(
      (path) => this.#markedTree(path),
      () => this.logClient(),
      dependencies.logger,
    );
  }

  async open(memory?: TargetMemory): Promise<Opened> {
    await this.session.recall(memory);
    const { identity, devices, capabilities, isSynchronized, pending } = await this.session.open();
    return { identity, devices, capabilities, isSynchronized, pending };
  }

  async probe(): Promise<void> {
    await this.session.probe();
  }

  /** Reads the candidate with `get` and the running configuration with `show`. `read/` decides whether an empty answer is credible. */
  async read(subtrees: readonly Path[], view: View, onDoubt?: OnDoubt): Promise<TreeNode> {
    const session = await this.session.current();
    const includesFirewalls = subtrees.some((path) => path.equals(FIREWALLS));
    const own = includesFirewalls ? subtrees.filter((path) => !path.equals(FIREWALLS)) : subtrees;
    const read = async (paths: readonly Path[]) =>
      await this.#withHanded(await readTree(session, paths, view, { ...this.options, onDoubt }), subtrees);
    const tree = includesFirewalls ? this.#withFirewalls(own, read) : read(own);
    this.#attributor.forget();
    if (view === "candidate") this.#candidate = { subtrees: own, tree };
    else {
      // The candidate is from another read: its marks may be older than the running configuration.
      if (this.#candidate?.subtrees !== own) this.#candidate = undefined;
      this.#running = own;
    }
    return tree;
  }

  attribution(path: Path, node: TreeNode | undefined): Promise<Attribution | undefined> {
    return this.#attributor.find(path, node);
  }

  async status(): Promise<ReadonlyMap<string, string>> {
    return readSystemInfo((await this.session.current()).client);
  }

  /** Returns the log client of the chosen device. */
  async logClient(): Promise<LogClient> {
    if (this.#isRelayed) {
      throw new PlumblineError("logs-not-offered", `${this.name} is read through its manager, which answers with logs of its own.`, {
        where: { target: this.name },
        next: "Give the target a url:, or read the manager's logs.",
      });
    }
    const { client } = await this.session.current();
    return new LogClient(client, this.dependencies.clock, this.options.logTimeout);
  }

  async *searchLogs({ since, query, ...search }: LogSearch, waiter: LogSearchWaiter = {}): AsyncGenerator<readonly LogRecord[]> {
    yield* logPages(await this.logClient(), { ...search, query: filterFor(since, query) }, waiter);
  }

  /** The running configuration of the manager is read once per version. */
  async #projected(): Promise<Projection> {
    const session = await this.session.current();
    const { PROJECTED, Projection } = await import("./projection/projection.js");
    const version = (await readVersions(session)).at(-1)?.version;
    const known = this.#projection;
    if (known !== undefined && version !== undefined && known.version === version) return await known.projection;
    const running = readTree(session, PROJECTED, "running", { ...this.options, onDoubt: () => undefined });
    const projection = running.then((tree) => new Projection(tree, { ...ASSUMED, ...this.#reading }));
    const made = { version, projection };
    this.#projection = made;
    projection.catch(() => {
      if (this.#projection === made) this.#projection = undefined;
    });
    return await projection;
  }

  /** In a pair of managers, each firewall is queried once for each version that it reports. */
  async #bearing(rows: readonly ManagedFirewall[]): Promise<readonly ManagedFirewall[]> {
    const session = await this.session.current();
    if (session.identity.role === "standalone") return rows;
    const keyOf = ({ serial, vsys = "", by, version, lastPush }: ManagedFirewall) => [serial, vsys, by, version, lastPush?.at].join(" ");
    const open = this.#readsFirewalls ? rows.filter((row) => !this.#bearingOf.has(keyOf(row))) : [];
    if (open.length > 0) {
      const projection = await this.#projected();
      const [versions, { readAppliedVersions }] = await Promise.all([readVersions(session), import("./managed/applied-versions.js")]);
      const numbers = versions.map(({ version }) => version);
      const judged = await readAppliedVersions(session.client, projection, open, numbers);
      for (const [at, row] of open.entries()) this.#bearingOf.set(keyOf(row), judged[at]?.version);
    }
    return rows.map((row) => {
      const version = this.#bearingOf.get(keyOf(row));
      return version === row.version ? row : { ...row, version, bears: row.version };
    });
  }

  /** If all virtual systems are read and the manager is known, adds the rules that the manager pushed. */
  async #withHanded(root: TreeNode, subtrees: readonly Path[]): Promise<TreeNode> {
    if (this.#manager === undefined || !subtrees.some((path) => path.equals(SYSTEMS))) return root;
    const [{ client, identity }, { readPushed }] = await Promise.all([this.session.current(), import("./managed/read-pushed.js")]);
    const handed = await readPushed(client, root, identity.serial ?? "").catch((error: unknown) => {
      if (!(error instanceof PlumblineError)) throw error;
      this.dependencies.logger.warn({ target: this.name, code: error.code }, `the pushed configuration cannot be read: ${error.message}`);
      return new TreeNode("panorama");
    });
    return new TreeNode(root.tag, root.name, root.text, [...root.children, handed], root.attributes);
  }

  /** Adds a manager's firewalls as far as the `firewalls:` setting permits. Omits templates if the role may not read them. */
  async #withFirewalls(own: readonly Path[], read: (paths: readonly Path[]) => Promise<TreeNode>): Promise<TreeNode> {
    const { client, identity } = await this.session.current();
    const { root, unread } = await withoutTemplates(own, read);
    if (!isManager(identity)) return root;
    const { readFirewalls } = await import("./managed/read-firewalls.js");
    const firewallRead = this.#firewalls === "ignore" ? undefined : readFirewalls(client, this.#firewalls === "verify");
    const firewalls = await firewallRead?.catch((error: unknown) => {
      if (!(error instanceof PlumblineError)) throw error;
      this.dependencies.logger.warn({ target: this.name, code: error.code }, `its firewalls cannot be read: ${error.message}`);
      return undefined;
    });
    const why = unread === undefined ? [] : [new TreeNode("templates", undefined, unread)];
    const firewallsNode = new TreeNode(FIREWALLS.tag, undefined, "", [...(firewalls?.children ?? []), ...why]);
    return new TreeNode(root.tag, root.name, root.text, [...root.children, firewallsNode], root.attributes);
  }

  async close(): Promise<void> {
    await Promise.all([this.session.close(), this.#manager?.close()]);
  }

  async #handedAt(path: Path): Promise<PushedNode | undefined> {
    const manager = this.#manager;
    const { client, identity } = await this.session.current();
    const all = await manager?.managed.firewalls();
    const rows = all?.filter(({ serial }) => serial === identity.serial) ?? [];
    if (manager === undefined || rows.length === 0) return undefined;
    const config = Path.root.child("config");
    const [projection, running, { pushedAt }] = await Promise.all([
      manager.#projected(),
      readSubtree(client, config, "running"),
      import("./managed/pushed-at.js"),
    ]);
    const own = protectSecrets(running ?? new TreeNode("config"), this.shape);
    const found = pushedAt(path, rows, projection, own);
    return found === undefined ? undefined : { manager: manager.name, ...found };
  }

  /** Watched firewalls can change without a change on their manager, so the digest includes them. */
  async #digest(subtrees: readonly Path[], listed: readonly PendingChange[] | undefined): Promise<string | undefined> {
    const session = await this.session.current();
    const own = await this.#ownDigest(session, subtrees, listed);
    if (own === undefined || !this.#watchesFirewalls) return own;
    const rows = await readFirewallStates(session, undefined, false);
    return rows === undefined
      ? own
      : createHash("sha256")
          .update(JSON.stringify([own, rows]))
          .digest("hex");
  }

  /** Includes the pushed rules, because rules are analyzed together with them. */
  async #ownDigest(
    session: OpenSession,
    subtrees: readonly Path[],
    listed: readonly PendingChange[] | undefined,
  ): Promise<string | undefined> {
    const own = await digestOf(session, subtrees, listed);
    if (own === undefined || this.#manager === undefined || !subtrees.some((path) => path.equals(SYSTEMS))) return own;
    // One request does not cover several virtual systems.
    if (session.multiVsys) return undefined;
    const pushed = await Promise.all([showPushedPolicy(undefined), showPushedTemplate].map((command) => session.client.readBytes(command)));
    if (pushed.includes(undefined)) return undefined;
    return pushed.reduce((hash, bytes) => hash.update(bytes ?? ""), createHash("sha256").update(own)).digest("hex");
  }

  /**
   * Returns the candidate around `path`. Only `get` returns the audit marks, so the candidate is read if only the running configuration
   * was.
   */
  #markedTree(path: Path): Promise<TreeNode> {
    const subtrees = this.#running;
    const known = this.#candidate;
    if (known !== undefined && (known.subtrees === subtrees || known.subtrees.some((subtree) => subtree.contains(path)))) return known.tree;
    const tree = this.session.current().then((session) => readTree(session, subtrees, "candidate"));
    this.#candidate = { subtrees, tree };
    return tree;
  }
}

/** Opens a reader for `plan`, `drift`, `status` and `explain`. It connects on the first request. */
export function openPanosReader(
  configuration: PanosTargetConfiguration,
  dependencies: PanosDependencies,
  options: PanosOptions = {},
): PanosReader {
  return new PanosReader(configuration, dependencies, options);
}

/** Reads all subtrees. If the read fails, it is repeated without templates, and `unread` contains the reason. */
async function withoutTemplates(
  own: readonly Path[],
  read: (paths: readonly Path[]) => Promise<TreeNode>,
): Promise<{ readonly root: TreeNode; readonly unread: string | undefined }> {
  const rest = own.filter((path) => !TEMPLATES.some((each) => each.equals(path)));
  try {
    return { root: await read(own), unread: undefined };
  } catch (error) {
    if (!(error instanceof PlumblineError) || rest.length === own.length) throw error;
    return { root: await read(rest), unread: error.message };
  }
}

import type { TreeNode } from "../../core/tree/node.js";
import { Administrators } from "./access/administrators.js";
import { Keys } from "./access/keys.js";
import { Locks } from "./access/locks.js";
import { ALL_CAPABILITIES, type LabCapabilities, SPEC_ONLY } from "./capabilities.js";
import { type Clock, dateTime } from "./clock.js";
import { Jobs } from "./commit/jobs.js";
import { Validation } from "./commit/validation.js";
import type { CommitEntry, JournalEntry, PushEntry, ReceivedEntry } from "./journal.js";
import { ConfigLog } from "./logs/config-log.js";
import { LogQueries } from "./logs/queries.js";
import type { Attachment } from "./manager/attachment.js";
import type { DeviceOptions } from "./options.js";
import { Candidate, type CandidateOptions, type Violation } from "./state/candidate.js";
import { SavedConfigurations } from "./state/saved.js";
import { TrafficGenerator } from "./traffic/generator.js";
import type { Stamp } from "./tree/stamp.js";

/** Users by address and tags by address, as `type=user-id` registers them. */
class UserMappings {
  readonly users = new Map<string, string>();
  readonly tags = new Map<string, Set<string>>();
}

export interface DeviceContext {
  readonly clock: Clock;
  readonly random: (length: number) => Buffer;
}

/** One firewall: its configurations, accounts, jobs and logs. `dispatch` selects the replies to requests. */
export class LabDevice {
  readonly name: string;
  readonly options: DeviceOptions;
  readonly capabilities: LabCapabilities;
  readonly clock: Clock;
  readonly started: number;
  readonly serial: string;
  readonly version: string;
  readonly administrators: Administrators;
  readonly keys: Keys;
  readonly locks = new Locks();
  readonly jobs: Jobs;
  readonly candidate: Candidate;
  readonly validation: Validation;
  readonly settings: CandidateOptions;
  readonly saved: SavedConfigurations;
  readonly configLog: ConfigLog;
  readonly queries: LogQueries;
  readonly traffic: TrafficGenerator;
  readonly userMappings = new UserMappings();
  /** Results of reports that no client has fetched, by job number. */
  readonly reports = new Map<number, string>();
  readonly auditComments = new Map<string, string>();
  /** All requests in order of arrival. */
  readonly journal: JournalEntry[] = [];
  /** All commits that have ended. */
  readonly commits: CommitEntry[] = [];
  /** All pushes that this manager was ordered to do. */
  readonly pushes: PushEntry[] = [];
  /** All pushes that this firewall committed or refused. */
  readonly received: ReceivedEntry[] = [];
  /** Violations that the option `strict` detected. */
  readonly violations: Violation[] = [];
  /** The other device of an HA pair. */
  peer: LabDevice | undefined;
  haState: "active" | "passive" | "suspended" | undefined;
  /** Whether commits are not copied to the peer. */
  isPeerBehind = false;
  /** Set for a firewall that has a manager. */
  attachment: Attachment | undefined;
  /** Firewalls of a manager. */
  readonly firewalls: LabDevice[] = [];
  #running: TreeNode;
  #dirtyId = 0;

  constructor(name: string, config: TreeNode, options: DeviceOptions, { clock, random }: DeviceContext) {
    this.name = name;
    this.options = options;
    this.clock = clock;
    this.started = clock.now();
    this.version = options.system?.version ?? config.attributes?.get("version") ?? "11.1.4";
    this.serial = options.system?.serial ?? serialFor(name);
    this.capabilities = capabilitiesOf(options, this.version);
    this.administrators = new Administrators(config, options.administrators ?? []);
    this.keys = new Keys(this.administrators, {
      clock,
      random,
      lifetime: options.behavior?.keyLifetime,
      oneAtATime: options.behavior?.oneKeyAtATime === true,
    });
    this.jobs = new Jobs(clock);
    this.settings = {
      version: this.version,
      masterKey: this.serial,
      renameRewrites: options.behavior?.renameRewrites ?? true,
      deleteMissing: options.behavior?.deleteMissing ?? "refused",
      checkValues: options.behavior?.checks ?? true,
      checkReferences: options.behavior?.checks ?? true,
      maxPendingChanges: options.limits?.pendingChanges,
      onViolation: options.strict === true ? (violation) => this.violations.push(violation) : undefined,
    };
    this.#running = config;
    this.candidate = new Candidate(config, this.settings);
    this.validation = new Validation(config);
    const first = { time: dateTime(clock.now()), admin: "admin", description: "", root: config };
    this.saved = new SavedConfigurations(first);
    for (let more = options.panorama?.pairVersions?.before ?? 0; more > 0; more--) this.saved.addVersion(first);
    this.configLog = new ConfigLog(this);
    this.queries = new LogQueries(this);
    this.traffic = new TrafficGenerator(this, options.traffic?.flows ?? []);
    this.traffic.hits.runs(config, this.started);
    this.#boot();
  }

  /** A device commits its saved configuration when it starts. */
  #boot(): void {
    const run = () => ({ ok: true, lines: ["Configuration committed successfully"] });
    this.jobs.enqueue({ type: "AutoCom", user: "", description: "", duration: 0, run });
    this.configLog.noteCommand("admin", "commit");
  }

  /** The active configuration. A commit replaces its root. */
  get running(): TreeNode {
    return this.#running;
  }

  set running(root: TreeNode) {
    this.traffic.advance(this.jobs.endsAt);
    this.#running = root;
    this.traffic.hits.runs(root, this.jobs.endsAt ?? this.clock.now());
  }

  now(): string {
    return dateTime(this.clock.now());
  }

  stamp(admin: string): Stamp {
    this.#dirtyId++;
    return { admin, time: this.now(), dirtyId: this.#dirtyId };
  }
}

function capabilitiesOf({ capabilities }: DeviceOptions, version: string): LabCapabilities {
  if (capabilities === "spec-only") return SPEC_ONLY;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const multiConfig = major > 10 || (major === 10 && minor >= 1);
  return { ...ALL_CAPABILITIES, multiConfig, ...capabilities };
}

/** Returns a serial number that is derived from the name, so that tests can predict it. */
function serialFor(name: string): string {
  let hash = 7;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_000_000;
  return `0070${String(hash).padStart(11, "0")}`;
}

import type { SaidText, SecretValue } from "../core/secret.js";
import type { TlsTrust } from "../core/tls-trust.js";
import type { AgentConfiguration, RolloutSettings } from "./configuration/agent.js";

export type Mode = "observe" | "propose" | "enforce";

/**
 * A target of `plumbline.yaml`, defaults filled in, overrides from `PLUMBLINE_TARGET_<NAME>_*` applied: what is asked of every
 * kind. A kind extends it by the settings that its own reader and writer need (`src/targets/<kind>/settings.ts`); the optional
 * ones here are those that a pass asks of whatever kind has them.
 */
export interface TargetConfiguration {
  readonly kind: string;
  readonly name: string;
  readonly mode: Mode;
  readonly rewriteLists: "never" | "allowed";
  /** `required`: every runner writes only plans that are approved. */
  readonly approve: "none" | "required";
  /** Names of other targets that its settings refer to. */
  readonly refersTo?: readonly string[] | undefined;
  /** Those of them whose log-in is sent to this one; all where it is left out. */
  readonly logInOf?: readonly string[] | undefined;
  /** Origins that the operator's variables allow; undefined if `PLUMBLINE_TARGET_<NAME>_URL` does not pin the target. */
  readonly pinnedOrigins?: readonly string[] | undefined;
  /** Where it answers, where one address says that. */
  readonly url?: string | undefined;
  /** Addresses of the same device's partner; only of kinds that come in pairs. */
  readonly peers?: readonly string[] | undefined;
  /** The account that we come as, where the settings name it. */
  readonly credentials?: { readonly username?: SaidText | undefined } | undefined;
  readonly tls?: TlsTrust | undefined;
  /** Seconds for one request. */
  readonly timeout?: number | undefined;
  /** What other administrators have pending: refused by default. */
  readonly foreignChanges?: "refuse" | "leaveOut" | undefined;
  /** Of a manager: what is made of the state of the firewalls that get what it holds; `tell` by default. */
  readonly firewalls?: "ignore" | "tell" | "watch" | "verify" | undefined;
  /** Of a manager: milliseconds after which a firewall that stays away is an alarm. */
  readonly offline?: number | undefined;
  /** Of a manager: what is running there is pushed to the firewalls that lack it. */
  readonly push?: PushSettings | undefined;
  /** A commit may be sent where nobody can see what of others' it takes along. */
  readonly blindCommit?: boolean | undefined;
  /** Seconds after which another run's lock with our mark, or its lease, may be taken over; `TAKEOVER_AFTER_SECONDS` by default. */
  readonly takeoverAfter?: number | undefined;
}

export interface PushSettings {
  /** Asks every firewall first whether it would take it. */
  readonly validate: boolean;
  /** Who is asked whether a push has arrived: each firewall what it has, or the manager alone. */
  readonly arrival: "firewall" | "manager";
  /** What others committed and nobody pushed: keeps the push from being made, goes along, or is left out by a push of our accounts' work alone. */
  readonly others: "refuse" | "include" | "selective";
  /** Firewalls of one job at most; any number when left out. */
  readonly perJob?: number | undefined;
  /** Whether a job names the virtual systems that are meant of a firewall that has several, or its serial number alone. */
  readonly systems?: "bare" | "named" | undefined;
  /** Seconds that a push may take until all its firewalls have ended. */
  readonly timeout: number;
  /** Serial numbers in the place of targets. */
  readonly rollout: RolloutSettings;
}

export const TAKEOVER_AFTER_SECONDS = 900;

/** Guards of `plumbline.yaml` (docs/plan.md#guards). Shares are 0 to 1. */
export interface GuardLimits {
  readonly updates: number;
  readonly deletes: number;
  /** Shorter lists are measured by `short`. */
  readonly from: number;
  /** Share of a list of at least three entries, and fewer than `from`, that may go at once. */
  readonly short: number;
  readonly emptyList: "refuse" | "allow";
  readonly deletesPerDay: number | undefined;
  /** Targets that a commit may be written to at once. */
  readonly targets: number;
}

export interface Configuration {
  /** Absolute path of `plumbline.yaml`, and of the folder that holds it. */
  readonly file: string;
  readonly folder: string;
  readonly owner: string;
  readonly targets: ReadonlyMap<string, TargetConfiguration>;
  readonly guards: GuardLimits;
  readonly agent: AgentConfiguration;
  /** By target: subtrees with another mode than the target's, each by its XPath. A target without any is not in it. */
  readonly pathModes: ReadonlyMap<string, ReadonlyMap<string, Mode>>;
  /** `git`, `store`, an absolute file or a URL; undefined: as `store:` suggests. */
  readonly ledger: string | undefined;
  /** `store:` as it is written, its references not read. */
  readonly store: string | undefined;
  /** Accounts of this owner beside the one that we log in with. */
  readonly administrators: readonly string[];
  /** Key of the fingerprints of stored secrets; a file of the state folder holds one where this is undefined. */
  readonly fingerprintKey?: SecretValue | undefined;
}

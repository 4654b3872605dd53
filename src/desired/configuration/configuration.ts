import type { SecretValue, TextOrSecret } from "../../core/secret.js";
import type { TlsTrust } from "../../core/tls-trust.js";
import type { AgentConfiguration, RolloutSettings } from "./agent.js";
import type { DesignSettings } from "./design-schema.js";

export type Mode = "observe" | "propose" | "enforce";

/**
 * A target of `plumbline.yaml` with defaults and overrides from `PLUMBLINE_TARGET_<NAME>_*` applied: the settings that every kind has. A
 * kind adds settings for its own reader and writer (`src/targets/<kind>/settings.ts`). The optional settings here are used by a pass for
 * any kind that has them.
 */
export interface TargetConfiguration {
  readonly kind: string;
  readonly name: string;
  readonly mode: Mode;
  readonly rewriteLists: "never" | "allowed";
  /** `required`: runs only write approved plans. */
  readonly approve: "none" | "required";
  /** Names of other targets that its settings refer to. */
  readonly refersTo?: readonly string[] | undefined;
  /** Names in `refersTo` whose login is sent to this target. Undefined means all. */
  readonly logInOf?: readonly string[] | undefined;
  /** Origins that the operator's variables allow; undefined if `PLUMBLINE_TARGET_<NAME>_URL` does not pin the target. */
  readonly pinnedOrigins?: readonly string[] | undefined;
  /** Address of the target, if it has a single one. */
  readonly url?: string | undefined;
  /** Addresses of the device's HA peer, for kinds with pairs. */
  readonly peers?: readonly string[] | undefined;
  /** Plumbline's account, if the settings contain one. */
  readonly credentials?: { readonly username?: TextOrSecret | undefined } | undefined;
  readonly tls?: TlsTrust | undefined;
  /** Seconds per request. */
  readonly timeout?: number | undefined;
  /** Handling of pending changes of other administrators. Default: refuse. */
  readonly foreignChanges?: "refuse" | "leaveOut" | undefined;
  /** Manager: what to do about the state of its firewalls. Default: `tell`. */
  readonly firewalls?: "ignore" | "tell" | "watch" | "verify" | undefined;
  /** Manager: milliseconds after which a disconnected firewall raises an alarm. */
  readonly offline?: number | undefined;
  /** Manager: push its running configuration to firewalls that lack it. */
  readonly push?: PushSettings | undefined;
  /** Allow a commit although it is unknown which changes of others it includes. */
  readonly blindCommit?: boolean | undefined;
  /** Seconds after which another run's lock with this owner's mark, or its lease, may be taken over. Default: `TAKEOVER_AFTER_SECONDS`. */
  readonly takeoverAfter?: number | undefined;
}

export interface PushSettings {
  /** Validate on every firewall before the push. */
  readonly validate: boolean;
  /** How to check that a push has arrived: read each firewall, or only the manager. */
  readonly arrival: "firewall" | "manager";
  /** Committed but unpushed work of others: refuse the push, include the work, or push only the work of this owner's accounts. */
  readonly others: "refuse" | "include" | "selective";
  /** Maximum number of firewalls per job. Undefined means no limit. */
  readonly perJob?: number | undefined;
  /** Whether a job lists the virtual systems of a firewall with several ones, or only its serial number. */
  readonly systems?: "bare" | "named" | undefined;
  /** Seconds until all firewalls of a push must have finished. */
  readonly timeout: number;
  /** Rollout by serial numbers instead of target names. */
  readonly rollout: RolloutSettings;
}

export const TAKEOVER_AFTER_SECONDS = 900;

/** Guards of `plumbline.yaml` (docs/guards.md#guards). Shares are from 0 to 1. */
export interface GuardLimits {
  readonly updates: number;
  readonly deletes: number;
  /** For shorter lists, `short` applies. */
  readonly from: number;
  /** Maximum share to delete from a list with at least three and fewer than `from` entries. */
  readonly short: number;
  readonly emptyList: "refuse" | "allow";
  readonly deletesPerDay: number | undefined;
  /** Maximum number of targets that one commit may write to without waves. */
  readonly targets: number;
}

export interface Configuration {
  /** Absolute path of `plumbline.yaml`, and of its folder. */
  readonly file: string;
  readonly folder: string;
  readonly owner: string;
  readonly targets: ReadonlyMap<string, TargetConfiguration>;
  readonly guards: GuardLimits;
  readonly agent: AgentConfiguration;
  readonly design?: DesignSettings | undefined;
  /** By target: subtrees with a different mode than the target's, by XPath. Contains only targets with such subtrees. */
  readonly pathModes: ReadonlyMap<string, ReadonlyMap<string, Mode>>;
  /** `git`, `store`, an absolute path or a URL. Undefined: depends on `store:`. */
  readonly ledger: string | undefined;
  /** Text of `store:`, with unresolved references. */
  readonly store: string | undefined;
  /** Further accounts of this owner, besides the login account. */
  readonly administrators: readonly string[];
  /** Key for the fingerprints of stored secrets. Undefined: the key is in a file of the state folder. */
  readonly fingerprintKey?: SecretValue | undefined;
}

import { resolve } from "node:path";

import type { agentSchema } from "./agent-schema.js";
import { parseDuration } from "./duration.js";
import type { NotifySettings } from "./notify.js";
import { type PageSettings, readPage } from "./page-settings.js";
import type { TextOf } from "./text-of.js";

export interface SignaturePolicy {
  readonly require: "ssh" | "gpg" | "any";
  /** Absolute path. */
  readonly allowedSigners: string | undefined;
  /** Absolute path. */
  readonly keyring: string | undefined;
}

interface SourceSettings {
  readonly url: string | undefined;
  readonly branch: string | undefined;
  readonly tag: string | undefined;
  /** Path of plumbline.yaml, relative to the root of the repository. */
  readonly path: string | undefined;
  readonly username: string | undefined;
  /** An unresolved reference: only the agent needs the password. */
  readonly password: string | undefined;
  /** The password may be sent unencrypted. */
  readonly plaintext: boolean;
  /** Milliseconds. */
  readonly interval: number;
  readonly signatures: SignaturePolicy | undefined;
  /** Limits for loading a commit: milliseconds, and MiB. */
  readonly loadTime: number;
  readonly loadMemory: number;
  /** Limit for reading plumbline.yaml or the documents of one target, in milliseconds of processor time. */
  readonly visitLoadTime: number;
  /** Accept a commit that does not descend from the active one. */
  readonly allowRewind: boolean;
  /** Each commit must be this one or descend from it. */
  readonly ancestor: string | undefined;
}

/** A time window in which targets may be written to, or must not be. */
export interface WindowSettings {
  readonly kind: "allow" | "deny";
  /** Start of the window: five or six cron fields. */
  readonly cron: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly timeZone: string;
  /** Undefined means all targets. */
  readonly targets: readonly string[] | undefined;
}

/** Order of a rollout to many targets, or to the firewalls of a manager by serial number. */
export interface RolloutSettings {
  readonly canary: readonly string[];
  readonly batch: number | undefined;
  readonly apart: readonly (readonly string[])[];
}

/** Applies the defaults. */
export function readRollout(text: Partial<RolloutSettings> | undefined): RolloutSettings {
  return { canary: text?.canary ?? [], batch: text?.batch, apart: text?.apart ?? [] };
}

interface HttpSettings {
  readonly port: number;
  readonly host: string;
  /** Further host names of the agent, besides addresses and localhost. */
  readonly names: readonly string[];
  /** Addresses and networks of proxies whose X-Forwarded-For header is trusted. */
  readonly trustProxy: readonly string[];
}

/** Retention of the sessions that targets log. */
export interface TrafficSettings {
  /** Milliseconds: retention, and interval between reads of a log. */
  readonly keep: number;
  readonly interval: number;
  /** Maximum number of flows per firewall. Each hour counts separately. */
  readonly rows: number;
  /** Undefined means all targets. */
  readonly targets: readonly string[] | undefined;
}

/** `agent:` of `plumbline.yaml` with defaults. Times are in milliseconds; secrets are unresolved references. */
export interface AgentConfiguration {
  readonly source: SourceSettings;
  readonly driftInterval: number;
  /** Length of a target's lease, if agents share a store. */
  readonly lease: number;
  readonly skipPasses: number;
  readonly concurrency: number;
  readonly healLimit: number;
  readonly attempts: number;
  readonly retention: number;
  /** Undefined: no sessions are kept. */
  readonly traffic: TrafficSettings | undefined;
  readonly http: HttpSettings;
  readonly webhookSecret: string | undefined;
  readonly page: PageSettings;
  readonly windows: readonly WindowSettings[];
  readonly rollout: RolloutSettings;
  readonly notify: NotifySettings;
}

/** `agent:` as written in the file, already checked against the schema. */
export type AgentText = TextOf<typeof agentSchema>;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const FEWEST_SLOTS = 8;
/** A visit keeps the configuration of its target in memory. */
const MOST_SLOTS = 32;

/** One slot for each five targets, so that a push to many targets needs few rounds. */
function slotsFor(targets: number): number {
  return Math.min(MOST_SLOTS, Math.max(FEWEST_SLOTS, Math.ceil(targets / 5)));
}

/** Applies the defaults. Relative paths in `text` start at `folder`. `targets` is the number of targets. */
export function readAgent(text: AgentText, folder: string, targets = 0): AgentConfiguration {
  return {
    source: readSource(text.source ?? {}, folder),
    driftInterval: duration(text.driftInterval, 15 * MINUTE),
    lease: duration(text.lease, MINUTE / 2),
    skipPasses: text.skipPasses ?? 24,
    concurrency: text.concurrency ?? slotsFor(targets),
    healLimit: text.healLimit ?? 3,
    attempts: text.attempts ?? 5,
    retention: duration(text.retention, 400 * DAY),
    traffic: text.traffic && readTraffic(text.traffic),
    http: {
      port: text.http?.port ?? 9464,
      host: text.http?.host ?? "127.0.0.1",
      names: text.http?.names ?? [],
      trustProxy: text.http?.trustProxy ?? [],
    },
    webhookSecret: text.webhook?.secret,
    page: readPage(text.page ?? {}, duration),
    windows: (text.windows ?? []).map(readWindow),
    rollout: readRollout(text.rollout),
    notify: text.notify ?? {},
  };
}

function readSource(text: NonNullable<AgentText["source"]>, folder: string): SourceSettings {
  const { signatures } = text;
  return {
    url: text.url,
    branch: text.branch,
    tag: text.tag,
    path: text.path,
    username: text.username,
    password: text.password,
    plaintext: text.plaintext ?? false,
    interval: duration(text.interval, 2 * MINUTE),
    allowRewind: text.allowRewind ?? false,
    ancestor: text.ancestor,
    loadTime: duration(text.loadTime, 2 * MINUTE),
    loadMemory: text.loadMemory ?? 2048,
    visitLoadTime: duration(text.visitLoadTime, 10_000),
    signatures:
      signatures === undefined
        ? undefined
        : {
            require: signatures.require,
            allowedSigners: signatures.allowedSigners === undefined ? undefined : resolve(folder, signatures.allowedSigners),
            keyring: signatures.keyring === undefined ? undefined : resolve(folder, signatures.keyring),
          },
  };
}

function readTraffic({ keep, interval, rows, targets }: NonNullable<AgentText["traffic"]>): TrafficSettings {
  return { keep: duration(keep, 0), interval: duration(interval, 15 * MINUTE), rows: rows ?? 200_000, targets };
}

function readWindow(text: NonNullable<AgentText["windows"]>[number]): WindowSettings {
  return {
    kind: text.deny === undefined ? "allow" : "deny",
    cron: text.allow ?? text.deny ?? "",
    duration: duration(text.for, 0),
    timeZone: text.timeZone ?? "UTC",
    targets: text.targets,
  };
}

function duration(text: string | undefined, otherwise: number): number {
  return (text === undefined ? undefined : parseDuration(text)) ?? otherwise;
}

import type { PlumblineError } from "../core/errors.js";
import { isSettled } from "../outcome/assertion.js";
import { count } from "../report/format-counts.js";
import { limitDriftLines } from "./drift-lines.js";
import type { AgentEvent, AgentEventType } from "./events.js";

/** Implemented by a pino logger, for example. */
export interface EventLogger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

type Level = "info" | "warn" | "error";

/**
 * Writes structured log lines: one per pass, one per other event, and a limited number per pass for drift. `durationsOf` returns the milliseconds of a target's stages since its
 * last call. Secrets are recognized by their type and print as their label.
 */
export function logEvents(
  logger: EventLogger,
  durationsOf: (target: string) => Readonly<Record<string, number>>,
): (event: AgentEvent) => void {
  return limitDriftLines(
    (event) => {
      const entry = event.type === "pass-ended" ? passEntry(event, durationsOf(event.target)) : entryOf(event);
      if (entry !== undefined) logger[entry.level]({ event: event.type, ...entry.fields }, entry.message);
    },
    (target, omitted) => logger.warn({ event: "drift-omitted", target, omitted }, `${target}: more drift, which is not logged`),
  );
}

interface Entry {
  readonly level: Level;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

function passEntry(event: Extract<AgentEvent, { type: "pass-ended" }>, durations: Readonly<Record<string, number>>): Entry {
  const { target, pass, trigger, commit, result, milliseconds, outcome, drift, waiting } = event;
  const { plan, applied, error } = outcome ?? {};
  return {
    level: error === undefined ? "info" : error.severity === "refused" ? "warn" : "error",
    fields: {
      target,
      pass,
      trigger,
      commit,
      result,
      digest: plan?.digest,
      counts: {
        drift: drift.length,
        ...(waiting === undefined ? {} : { pending: waiting.changes }),
        ...(plan === undefined ? {} : { changes: plan.changes.length, operations: plan.operations.length, refusals: plan.refusals.length }),
        ...(applied === undefined ? {} : { applied: applied.operations, requests: applied.requests }),
      },
      job: applied?.job,
      ...(waiting?.held === undefined ? {} : { held: waiting.held }),
      milliseconds,
      durations,
      ...(error === undefined ? {} : { error: errorFields(error) }),
    },
    message: `${target}: ${result}`,
  };
}

function entryOf(event: AgentEvent): Entry | undefined {
  switch (event.type) {
    case "pass-started":
    case "pass-ended":
      return undefined;
    case "drift-appeared":
    case "drift-changed":
    case "drift-resolved": {
      const { target, commit, item, firstSeen, declaredAt } = event;
      const { change, attribution } = item;
      const fields = {
        target,
        commit,
        change: change.kind,
        xpath: change.path.toString(),
        author: attribution?.admin,
        firstSeen: iso(firstSeen),
        ...(declaredAt === undefined ? {} : { source: `${declaredAt.file}:${declaredAt.line}` }),
      };
      return { level: event.type === "drift-resolved" ? "info" : "warn", fields, message: event.type };
    }
    case "heal-guard-tripped": {
      const { target, heals, drift } = event;
      return { level: "error", fields: { target, heals, xpath: drift.item.change.path.toString() }, message: event.type };
    }
    case "plan-refused": {
      const { target, commit, digest, refusals, error } = event;
      const guards = refusals.map(({ guard }) => guard);
      return { level: "warn", fields: { target, commit, digest, guards, error: errorFields(error) }, message: error.message };
    }
    case "applied": {
      const { target, commit, digest, applied, heals } = event;
      return {
        level: "info",
        fields: { target, commit, digest, operations: applied.operations, job: applied.job, heals },
        message: "applied",
      };
    }
    case "commit-broken": {
      const { commit, inForce, errors } = event;
      return { level: "error", fields: { commit, inForce, errors: errors.map(errorFields) }, message: count(errors.length, "error") };
    }
    case "written-over": {
      const { target, commit, drift } = event;
      const changes = drift.map(({ item }) => ({
        xpath: item.change.path.toString(),
        change: item.change.kind,
        author: item.attribution?.admin,
      }));
      return { level: "warn", fields: { target, commit, changes }, message: event.type };
    }
    case "assertion-changed": {
      const { target, commit, judged } = event;
      return { level: isSettled(judged) ? "info" : "warn", fields: { target, commit, ...judged }, message: event.type };
    }
    case "ignores-ending": {
      const { target, ignores } = event;
      return { level: ignores.length === 0 ? "info" : "warn", fields: { target, ignores }, message: event.type };
    }
    case "targets-departed": {
      const { commit, warnings } = event;
      return { level: warnings.length === 0 ? "info" : "warn", fields: { commit, warnings }, message: event.type };
    }
    case "paused":
      return { level: "warn", fields: { ...event.pause }, message: "paused" };
    default: {
      const { type, time: _, ...rest } = event;
      const failed = "error" in rest;
      const fields = failed ? { ...rest, error: errorFields(rest.error) } : rest;
      return { level: failed ? "error" : WARNINGS.has(type) ? "warn" : "info", fields, message: type };
    }
  }
}

const WARNINGS: ReadonlySet<AgentEventType> = new Set(["held", "rollout-stopped", "act-refused", "sign-in-refused"]);

function errorFields({ code, message, where, next, severity }: PlumblineError): Readonly<Record<string, unknown>> {
  return { code, message, where, next, severity };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

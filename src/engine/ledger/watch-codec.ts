import type { Checks, LogWatch, Probe } from "../../desired/checks.js";
import type { OpenWatch, WrittenRow } from "../watch/open-watch.js";
import { fingerprintsOf, isObject, stringOf, stringsOf, textsOf } from "./fields.js";
import { rowsOf } from "./rows-codec.js";

/** Reads the open watch of a record. @throws Error with the reason when any part is missing or of another type. */
export function watchOf(value: unknown): OpenWatch {
  const watch = objectOf(value, "watch");
  const before = objectOf(watch.before, "watch.before");
  return {
    run: stringOf(watch, "run"),
    digest: stringOf(watch, "digest"),
    commit: optional(watch, "commit"),
    operations: stringOf(watch, "operations"),
    ...(watch.wish === undefined ? {} : { wish: textsOf(watch, "wish") }),
    ...(watch.failedBefore === undefined ? {} : { failedBefore: listOf(watch.failedBefore, "watch.failedBefore").map(Number) }),
    checks: checksOf(objectOf(watch.checks, "watch.checks")),
    snapshot: stringOf(watch, "snapshot"),
    written: listOf(watch.written, "watch.written").map(rowOf),
    description: stringOf(watch, "description"),
    asked: stringOf(watch, "asked"),
    since: optional(watch, "since"),
    baseline: listOf(watch.baseline, "watch.baseline").map(Number),
    before: {
      commit: optional(before, "commit"),
      added: stringsOf(before, "added"),
      ...(before.announced === undefined ? {} : { announced: stringsOf(before, "announced") }),
      adopted: stringsOf(before, "adopted"),
      secrets: fingerprintsOf(before.secrets),
      ...(before.rows === undefined ? {} : { rows: rowsOf(before.rows, []) }),
    },
    tripped: optional(watch, "tripped"),
  };
}

function rowOf(value: unknown): WrittenRow {
  const row = objectOf(value, "a written row");
  const at = stringOf(row, "at");
  switch (row.kind) {
    case "node":
      return { kind: "node", at, after: stringOf(row, "after") };
    case "place":
      return { kind: "place", at, behind: stringOf(row, "behind") };
    case "rename":
      return { kind: "rename", at, from: stringOf(row, "from") };
    default:
      throw new Error(`a written row of kind ${String(row.kind)}`);
  }
}

function checksOf(checks: Record<string, unknown>): Checks {
  return {
    watches: listOf(checks.watches, "watch.checks.watches").map((value): LogWatch => {
      const row = objectOf(value, "a watch");
      return {
        type: stringOf(row, "type"),
        query: optional(row, "query"),
        threshold: numberOf(row, "threshold"),
        minutes: numberOf(row, "minutes"),
      };
    }),
    probes: listOf(checks.probes, "watch.checks.probes").map(probeOf),
  };
}

function probeOf(value: unknown): Probe {
  const row = objectOf(value, "a probe");
  const tries = { timeout: numberOf(row, "timeout"), attempts: numberOf(row, "attempts") };
  switch (row.kind) {
    case "tcp":
      return { kind: "tcp", host: stringOf(row, "host"), port: numberOf(row, "port"), ...tries };
    case "http":
      return { kind: "http", url: stringOf(row, "url"), status: numberOf(row, "status"), ...tries };
    case "dns":
      return { kind: "dns", name: stringOf(row, "name"), server: optional(row, "server"), expect: optional(row, "expect"), ...tries };
    default:
      throw new Error(`a probe of kind ${String(row.kind)}`);
  }
}

function objectOf(value: unknown, name: string): Record<string, unknown> {
  if (!isObject(value)) throw new Error(`${name} is malformed`);
  return value;
}

function listOf(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`);
  return value;
}

function optional(value: Record<string, unknown>, key: string): string | undefined {
  return value[key] === undefined ? undefined : stringOf(value, key);
}

function numberOf(value: Record<string, unknown>, key: string): number {
  const number = value[key];
  if (typeof number !== "number") throw new Error(`${key} is not a number`);
  return number;
}

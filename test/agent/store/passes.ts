import type { DriftRecord, PassEnd, PassStart } from "../../../src/agent/store/store.js";

export const T0 = Date.UTC(2026, 10, 20, 8);
export const MINUTE = 60_000;

export function start(target = "edge", at = T0): PassStart {
  return { target, pass: "drift", trigger: "timer", started: at, commit: "c0ffee", runner: "5f1c:4711" };
}

export function end(at = T0 + 900, more: Partial<PassEnd> = {}): PassEnd {
  return { ended: at, outcome: "in-sync", exitCode: 0, reason: undefined, durations: { read: 700 }, ...more };
}

export function drifted(name: string, author: string | null = "alice"): DriftRecord {
  const path = addressPath(name);
  return {
    path,
    change: "differs",
    author: author ?? undefined,
    authorTime: "2026/11/20 07:59:00",
    view: { kind: "differs", xpath: path, before: "a", after: "b" },
  };
}

export function addressPath(name: string): string {
  return `/config/shared/address/entry[@name='${name}']`;
}

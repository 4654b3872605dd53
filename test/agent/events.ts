import type { AgentEvent, KnownDrift, PassFacts } from "../../src/agent/events.js";
import { PlumblineError } from "../../src/core/errors.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { TargetOutcome } from "../../src/outcome/outcome.js";

export const T0 = Date.UTC(2026, 0, 5, 12);

export const facts: PassFacts = { pass: 7, target: "edge", trigger: "timer", commit: "c0ffee" };

export function known(name: string, firstSeen = T0, admin: string | undefined = "alice"): KnownDrift {
  const path = parsePath(`/config/shared/address/entry[@name='${name}']`);
  const item = { change: { kind: "extra", path }, attribution: admin === undefined ? undefined : { admin } } as KnownDrift["item"];
  return { key: `extra ${path}`, item, firstSeen };
}

export function outcome(more: Partial<TargetOutcome> = {}): TargetOutcome {
  return { target: "edge", kind: "panos", warnings: [], ...more };
}

export function problem(code = "device-unreachable", message = "edge does not answer"): PlumblineError {
  return new PlumblineError(code, message, { next: "Look at the network.", where: { target: "edge" } });
}

type PassEnded = Extract<AgentEvent, { type: "pass-ended" }>;

export function passEnded(result: PassEnded["result"], more: Partial<PassEnded> = {}): PassEnded {
  return { type: "pass-ended", ...facts, result, milliseconds: 250, outcome: outcome(), drift: [], time: T0, ...more };
}

import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { allowancesOf } from "../../src/guards/allow.js";
import type { GuardContext } from "../../src/guards/context.js";
import { planGuards } from "../../src/guards/registry.js";
import type { Change } from "../../src/plan/diff/change.js";
import { makePlan } from "../../src/plan/make-plan.js";
import type { Plan, PlanInput, Refusal } from "../../src/plan/model.js";
import { desired, planInput, tree } from "../plan/support/planned.js";

export const V1 = "/config/vsys/entry[@name='v1']";

export const vsys = (inside: string, closed = false): string =>
  `<config><vsys><entry name="v1">${closed ? inside.replace(/<(address|group|rules)>/g, '<$1 closed="yes">') : inside}</entry></vsys></config>`;

export const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `a${at}`);

export const addresses = (names: readonly string[], ip: (name: string) => string = () => "10.0.0.1"): string =>
  `<address>${names.map((name) => `<entry name="${name}"><ip>${ip(name)}</ip></entry>`).join("")}</address>`;

export interface Case {
  readonly live: string;
  readonly wanted: string;
  readonly exclusive?: readonly string[];
  readonly allow?: Readonly<Record<string, string>>;
  readonly more?: Partial<PlanInput> | undefined;
}

/** A plan under the limits of the format's defaults, of vsys v1; lists named in `wanted` are closed when `exclusive` is given. */
export function planOf({ live, wanted, exclusive, allow = {}, more = {} }: Case): Plan {
  const target = { ...desired(vsys(wanted, exclusive !== undefined)), exclusive: (exclusive ?? []).map((path) => parsePath(path)) };
  return makePlan(
    planInput(tree(vsys(live)), more.desired ?? target, {
      guards: { updates: 0.3, deletes: 0.3, from: 10, short: 0.5, emptyList: "refuse", deletesPerDay: undefined },
      ...more,
      allow: new Map(Object.entries({ "first-contact": "1000", ...allow })),
    }),
    planGuards,
  );
}

export const refusalsBy = (plan: Plan, guard: string): readonly Refusal[] => plan.refusals.filter((refusal) => refusal.guard === guard);

/** The input of a guard, empty except for the given parts. */
export function contextOf(context: Partial<GuardContext>, more: Partial<PlanInput> = {}): GuardContext {
  const input = planInput(tree("<config/>"), desired("<config/>"), more);
  const nothing = { changes: [], findings: [], meaning: [], operations: [], dangling: [], emptied: [], knots: [], deletions: [] };
  return { input, allow: allowancesOf(input.allow), desired: input.desired.root, ...nothing, ...context };
}

/** A change of this kind with the parts that the guard reads. */
export function changeOf(kind: Change["kind"], path: string, more: object = {}): Change {
  return { kind, path: parsePath(path), ...more } as Change;
}

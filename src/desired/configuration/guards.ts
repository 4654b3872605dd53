import type { GuardLimits } from "../configuration.js";

interface GuardsText {
  readonly updates?: string | number;
  readonly deletes?: string | number;
  readonly from?: number;
  readonly short?: string | number;
  readonly emptyList?: "refuse" | "allow";
  readonly deletesPerDay?: number;
  readonly targets?: number;
}

/** Applies the defaults of `guards:` (docs/guards.md#guards). */
export function readGuards(text: GuardsText): GuardLimits {
  return {
    updates: share(text.updates ?? 0.3),
    deletes: share(text.deletes ?? 0.3),
    from: text.from ?? 10,
    short: share(text.short ?? 0.5),
    emptyList: text.emptyList ?? "refuse",
    deletesPerDay: text.deletesPerDay,
    targets: text.targets ?? 10,
  };
}

/** Converts `30%` to 0.3. */
function share(value: string | number): number {
  return typeof value === "number" ? value : Number(value.slice(0, -1)) / 100;
}

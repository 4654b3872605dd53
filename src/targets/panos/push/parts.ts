import { groupBy } from "../../../core/group-by.js";
import type { PushSettings } from "../../../desired/configuration/configuration.js";
import type { PushOptions } from "../../../engine/write-target.js";
import type { ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PushCommand } from "../client/commands.js";

const GROUP = "device-group/";

/**
 * Groups rows into push jobs: policies with the templates of the same firewalls, only policies, and the templates of each stack. A firewall
 * with several virtual systems gets its own job, because if one fails, all such firewalls of the job fail. `perJob` limits the number of
 * firewalls in a job.
 */
export function partsOf(rows: readonly ManagedFirewall[], perJob = Number.POSITIVE_INFINITY): readonly (readonly ManagedFirewall[])[] {
  const parts = new Map<string, ManagedFirewall[]>();
  for (const [serial, own] of groupBy(rows, (row) => row.serial)) {
    const hasPolicy = own.some(isPolicy);
    const alone = own.some(({ vsys }) => vsys !== undefined) ? serial : "";
    for (const row of own) {
      const key = hasPolicy ? `${own.every(isPolicy) ? "2 policies" : "1 both"} ${alone}` : `3 ${row.by} ${alone}`;
      parts.set(key, [...(parts.get(key) ?? []), row]);
    }
  }
  return [...parts].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, part]) => divided(part, perJob));
}

/** Splits a part into the fewest parts within the limit. Rows of one firewall stay together. */
function divided(part: readonly ManagedFirewall[], perJob: number): readonly (readonly ManagedFirewall[])[] {
  const firewalls = [...groupBy(part, ({ serial }) => serial).values()];
  const size = Math.min(perJob, firewalls.length);
  return Array.from({ length: Math.ceil(firewalls.length / size) }, (_, at) => firewalls.slice(at * size, (at + 1) * size).flat());
}

/** Returns the push command of one part. */
export function commandOf(part: readonly ManagedFirewall[], options: PushOptions, systems: PushSettings["systems"] = "bare"): PushCommand {
  const policies = part.filter(isPolicy);
  const serials = (own: readonly ManagedFirewall[]) => [...new Set(own.map(({ serial }) => serial))];
  if (policies.length > 0) {
    const groups = new Map([...groupBy(policies, ({ by }) => by.slice(GROUP.length))].map(([group, own]) => [group, serials(own)]));
    const named = systems === "named" ? systemsOf(policies) : undefined;
    return { ...options, groups, systems: named, stack: undefined, includeTemplate: policies.length < part.length };
  }
  const name = part[0]?.by.slice("template-stack/".length) ?? "";
  return { ...options, groups: new Map(), stack: { name, serials: serials(part) }, includeTemplate: true };
}

/** Returns the virtual systems by group and serial number, for firewalls that have several. */
function systemsOf(policies: readonly ManagedFirewall[]): ReadonlyMap<string, readonly string[]> {
  const several = policies.filter(({ vsys }) => vsys !== undefined);
  const keyed = groupBy(several, ({ by, serial }) => `${by.slice(GROUP.length)} ${serial}`);
  return new Map([...keyed].map(([key, rows]) => [key, rows.flatMap(({ vsys }) => vsys ?? [])]));
}

function isPolicy({ by }: ManagedFirewall): boolean {
  return by.startsWith(GROUP);
}

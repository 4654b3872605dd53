import { groupBy } from "../../../core/group-by.js";
import type { PushSettings } from "../../../desired/configuration.js";
import type { PushOptions } from "../../../engine/write-target.js";
import type { ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PushCommand } from "../commands.js";

const GROUP = "device-group/";

/**
 * Rows that go in one job: policies with the templates of the same firewalls, policies alone, and the templates of each stack. A
 * firewall with several virtual systems goes alone, since one that fails takes all such firewalls of its job along. `perJob`: firewalls
 * of one job at most.
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

/** As few parts of so many firewalls at most; all of a firewall stays together. */
function divided(part: readonly ManagedFirewall[], perJob: number): readonly (readonly ManagedFirewall[])[] {
  const firewalls = [...groupBy(part, ({ serial }) => serial).values()];
  const size = Math.min(perJob, firewalls.length);
  return Array.from({ length: Math.ceil(firewalls.length / size) }, (_, at) => firewalls.slice(at * size, (at + 1) * size).flat());
}

/** One part as a command says it. */
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

/** Virtual systems that are meant, by group and serial number, of firewalls that have several. */
function systemsOf(policies: readonly ManagedFirewall[]): ReadonlyMap<string, readonly string[]> {
  const several = policies.filter(({ vsys }) => vsys !== undefined);
  const keyed = groupBy(several, ({ by, serial }) => `${by.slice(GROUP.length)} ${serial}`);
  return new Map([...keyed].map(([key, rows]) => [key, rows.flatMap(({ vsys }) => vsys ?? [])]));
}

function isPolicy({ by }: ManagedFirewall): boolean {
  return by.startsWith(GROUP);
}

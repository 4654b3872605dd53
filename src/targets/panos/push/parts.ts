import { groupBy } from "../../../core/group-by.js";
import type { PushOptions } from "../../../engine/write-target.js";
import type { ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PushCommand } from "../commands.js";

const GROUP = "device-group/";

/**
 * Rows that go in one job: policies with the templates of the same firewalls, policies alone, and the templates of each stack. A
 * firewall with several virtual systems goes alone, since one that fails takes all such firewalls of its job along.
 */
export function partsOf(rows: readonly ManagedFirewall[]): readonly (readonly ManagedFirewall[])[] {
  const parts = new Map<string, ManagedFirewall[]>();
  for (const [serial, own] of groupBy(rows, (row) => row.serial)) {
    const hasPolicy = own.some(isPolicy);
    const alone = own.some(({ vsys }) => vsys !== undefined) ? serial : "";
    for (const row of own) {
      const key = hasPolicy ? `${own.every(isPolicy) ? "2 policies" : "1 both"} ${alone}` : `3 ${row.by} ${alone}`;
      parts.set(key, [...(parts.get(key) ?? []), row]);
    }
  }
  return [...parts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
}

/** One part as a command says it. */
export function commandOf(part: readonly ManagedFirewall[], options: PushOptions): PushCommand {
  const policies = part.filter(isPolicy);
  const serials = (own: readonly ManagedFirewall[]) => [...new Set(own.map(({ serial }) => serial))];
  if (policies.length > 0) {
    const groups = new Map([...groupBy(policies, ({ by }) => by.slice(GROUP.length))].map(([group, own]) => [group, serials(own)]));
    return { ...options, groups, stack: undefined, includeTemplate: policies.length < part.length };
  }
  const name = part[0]?.by.slice("template-stack/".length) ?? "";
  return { ...options, groups: new Map(), stack: { name, serials: serials(part) }, includeTemplate: true };
}

function isPolicy({ by }: ManagedFirewall): boolean {
  return by.startsWith(GROUP);
}

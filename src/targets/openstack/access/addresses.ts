import { addressRange, rangesMeet } from "../../../core/address-range.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { AddressRange } from "../../../reachability/flows/policy.js";
import { OPEN, type Project } from "../policy/members.js";
import type { Topology } from "../policy/topology.js";

/** Addresses that the ports and servers of a project may use. */
export interface AddressBook {
  /** Known addresses and allowed address pairs, by port or server. */
  readonly known: ReadonlyMap<string, readonly AddressRange[]>;
  /** Ports and servers that may use other addresses, too. */
  readonly open: ReadonlySet<string>;
}

/** A pair of at least this many addresses means every address of its family. */
const MOST = { IPv4: 1n << 31n, IPv6: 1n << 127n };

/** Returns the addresses in several versions of a project together. */
export function addressBook(
  versions: readonly { readonly tree: TreeNode; readonly project: Project; readonly topology: Topology }[],
): AddressBook {
  const known = new Map<string, AddressRange[]>();
  const open = new Set<string>();
  const add = (holder: string, ranges: readonly AddressRange[]) => known.set(holder, [...(known.get(holder) ?? []), ...ranges]);
  for (const { tree, project, topology } of versions) {
    for (const { holder, address } of topology.stations) add(holder, [addressRange(address) ?? []].flat());
    for (const [holder, pairs] of pairsIn(tree)) {
      const isAll = (range: AddressRange) => range.last - range.first >= (range.last < 1n << 32n ? MOST.IPv4 : MOST.IPv6) - 1n;
      if (pairs.some(isAll)) open.add(holder);
      add(
        holder,
        pairs.filter((range) => !isAll(range)),
      );
    }
    for (const [holder, groups] of project.holders) if (groups.has(OPEN) || !known.has(holder)) open.add(holder);
  }
  return { known, open };
}

/** Returns the allowed address pairs by port. */
export function pairsIn(root: TreeNode): [string, readonly AddressRange[]][] {
  return (childByTag(root, "ports")?.children ?? []).flatMap((port): [string, readonly AddressRange[]][] => {
    const rows = childByTag(port, "allowed_address_pairs")?.children ?? [];
    const ranges = rows.flatMap((row) => addressRange(childByTag(row, "ip_address")?.text ?? "") ?? []);
    return ranges.length === 0 ? [] : [[`port ${port.name}`, ranges]];
  });
}

/** Returns the parts of ranges that are in no other range. */
export function rangesWithout(ranges: readonly AddressRange[], others: readonly AddressRange[]): readonly AddressRange[] {
  return others.reduce<readonly AddressRange[]>(
    (left, other) =>
      left.flatMap((range) => {
        if (!rangesMeet(range, other)) return [range];
        const below = { first: range.first, last: other.first - 1n };
        const above = { first: other.last + 1n, last: range.last };
        return [below, above].filter(({ first, last }) => first <= last);
      }),
    ranges,
  );
}

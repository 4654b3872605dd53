import { ServiceError } from "../world/service-error.js";
import { type Block, formatAddress, overlap, parseAddress, type Range, usable, without } from "./addresses.js";
import { badRequest, conflict } from "./errors.js";
import type { AllocationPool } from "./subnet.js";

/** All of a block that hosts may have, but the gateway. */
export function defaultPools(block: Block, gateway: string | null): AllocationPool[] {
  const value = gateway === null ? undefined : parseAddress(gateway)?.value;
  return without(usable(block), value).map(({ first, last }) => ({
    start: formatAddress({ version: block.version, value: first }),
    end: formatAddress({ version: block.version, value: last }),
  }));
}

export function rangeOf({ start, end }: AllocationPool): Range {
  return { first: parseAddress(start)?.value ?? 0n, last: parseAddress(end)?.value ?? 0n };
}

/** Pools lie within the subnet, apart from each other and from the gateway. */
export function checkPools(pools: readonly AllocationPool[], block: Block, gateway: string | null): void {
  const cidr = `${formatAddress({ version: block.version, value: block.first })}/${block.prefixLength}`;
  const inside = usable(block);
  const ranges = pools.map((pool) => ({ pool, range: rangeOf(pool) })).sort((a, b) => (a.range.first < b.range.first ? -1 : 1));
  for (const { pool, range } of ranges) {
    if (range.first > range.last) throw new ServiceError(400, "InvalidAllocationPool", `The allocation pool ${name(pool)} is not valid.`);
    if (range.first < inside.first || range.last > inside.last) {
      throw new ServiceError(400, "OutOfBoundsAllocationPool", `The allocation pool ${name(pool)} spans beyond the subnet cidr ${cidr}.`);
    }
  }
  for (const [index, { pool, range }] of ranges.entries()) {
    const next = ranges[index + 1];
    if (next === undefined || !overlap(range, next.range)) continue;
    throw conflict(
      "OverlappingAllocationPools",
      `Found overlapping allocation pools: ${name(pool)} ${name(next.pool)} for subnet ${cidr}.`,
    );
  }
  if (gateway === null) return;
  const value = parseAddress(gateway);
  if (value?.version !== block.version)
    throw badRequest(`Invalid input for gateway_ip. Reason: '${gateway}' is not of IP version ${block.version}.`);
  const clash = ranges.find(({ range }) => range.first <= value.value && value.value <= range.last);
  if (clash === undefined) return;
  throw conflict("GatewayConflictWithAllocationPools", `Gateway ip ${gateway} conflicts with allocation pool ${name(clash.pool)}.`);
}

function name({ start, end }: AllocationPool): string {
  return `${start}-${end}`;
}

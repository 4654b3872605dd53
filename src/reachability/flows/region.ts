import { groupBy } from "../../core/group-by.js";
import type { Model } from "./compile.js";
import type { Subject } from "./conjunctions.js";
import { type Line, USER_STATES } from "./coordinates.js";
import type { AddressRange, ServiceRange, Unknown, UserState } from "./policy.js";
import { AXES, type Axis, type Box, PLACE } from "./space.js";

/** A box as values: all flows with one value of each field. */
export interface Region {
  /** Products of zones: from each zone of `from` to each zone of `to`. */
  readonly zones: readonly ZoneProduct[];
  readonly source: readonly AddressRange[];
  readonly destination: readonly AddressRange[];
  /** Names. `any other application` represents applications that no rule names. */
  readonly applications: readonly string[];
  readonly services: readonly Omit<ServiceRange, "sourcePorts">[];
  readonly sourcePorts: readonly { readonly first: number; readonly last: number }[];
  readonly users: readonly UserState[];
  /** Axes without a restriction. */
  readonly unrestricted: ReadonlySet<Axis>;
  /** All of these must hold. Empty means unconditional. */
  readonly conditions: readonly StatedLiteral[];
}

interface ZoneProduct {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** A statement that an unknown holds for a flow, or does not. */
export interface StatedLiteral {
  readonly subject: Subject;
  readonly unknown: Unknown;
  readonly holds: boolean;
}

const PORTS = 65_536;

export function regionOf({ space, coordinates }: Model, box: Box): Region {
  const ranges = (axis: Axis) => space.axis(axis).ranges(box[PLACE[axis]] as number);
  const names = <Name>(axis: Axis, all: readonly Name[]) => ranges(axis).flatMap(([from, to]) => all.slice(from, to));
  const { sizes } = coordinates;
  return {
    zones: zoneProducts(ranges("zones"), coordinates.zones),
    source: spans(ranges("source"), coordinates.addresses.source, 1n),
    destination: spans(ranges("destination"), coordinates.addresses.destination, 1n),
    applications: names("application", coordinates.applications),
    services: spans(ranges("service"), coordinates.services, 1).flatMap(byProtocol),
    sourcePorts: spans(ranges("sourcePort"), coordinates.sourcePorts, 1),
    users: names("user", USER_STATES),
    unrestricted: new Set(AXES.filter((axis) => space.axis(axis).count(box[PLACE[axis]] as number) === sizes[axis])),
    conditions: statedLiterals({ space }, box[PLACE.condition] as number),
  };
}

/** Returns the literals of one of the space's conjunctions. */
export function statedLiterals({ space: { conditions } }: Pick<Model, "space">, conjunction: number): readonly StatedLiteral[] {
  return conditions.literals(conjunction).map((literal) => ({ ...conditions.unknownOf(literal), holds: literal % 2 === 0 }));
}

type Ranges = readonly (readonly [from: number, to: number])[];

function spans<Value extends number | bigint>(ranges: Ranges, line: Line<Value>, one: Value): { first: Value; last: Value }[] {
  return ranges.map(([from, to]) => ({ first: line.startOf(from), last: (line.startOf(to) - one) as Value }));
}

/** Splits a span by protocol. */
function byProtocol({ first, last }: { readonly first: number; readonly last: number }): Region["services"] {
  const protocols = Array.from(
    { length: Math.floor(last / PORTS) - Math.floor(first / PORTS) + 1 },
    (_, at) => Math.floor(first / PORTS) + at,
  );
  return protocols.map((protocol) => ({
    protocol,
    first: Math.max(first - protocol * PORTS, 0),
    last: Math.min(last - protocol * PORTS, PORTS - 1),
  }));
}

/** Groups source zones that have the same target zones. */
function zoneProducts(ranges: Ranges, zones: readonly string[]): readonly ZoneProduct[] {
  const targets = new Map<string, string[]>();
  for (const [from, to] of ranges)
    for (let pair = from; pair < to; pair++) {
      const source = zones[Math.floor(pair / zones.length)] as string;
      targets.set(source, [...(targets.get(source) ?? []), zones[pair % zones.length] as string]);
    }
  const bySet = groupBy(targets, ([, to]) => to.join("\n"));
  return [...bySet.values()].map((group) => ({ from: group.map(([from]) => from), to: group[0]?.[1] ?? [] }));
}

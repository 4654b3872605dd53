import { addressNumber } from "../../core/address-range.js";
import { PlumblineError } from "../../core/errors.js";
import type { WholePath } from "../../outcome/whole-path.js";
import { completePaths, type Part } from "./whole-path.js";

/** Reason why a flow has no single known path, as a sentence. */
export class NoSinglePath extends Error {
  override readonly name = "NoSinglePath";
}

function refuse(why: string): never {
  throw new NoSinglePath(why);
}

/** The ends of a flow as the user names them: an address, the name of an object or server, or `TARGET:NAME`. */
export interface FlowEnds {
  readonly from: string;
  readonly to: string;
  readonly service: string;
  readonly application: string;
  /** Zone of the source on the first target. */
  readonly fromZone?: string | undefined;
}

/** Returns the only path of a flow through all targets. Throws `NoSinglePath` if it is not certain. */
export function singlePath(parts: readonly Part[], { from, to, service, application, fromZone }: FlowEnds): WholePath {
  const source = hostOf(from, "from", parts);
  const destination = hostOf(to, "to", parts);
  const start = startOf(source, parts);
  const question = {
    from: fromZone === undefined ? [] : [fromZone],
    to: [],
    source: [source.address],
    destination: [destination.address],
    service: [service],
    application: application === "any" ? [] : [application],
  };
  const [path, ...others] = understood(() => completePaths(parts, start.target, question, [], start.rulebase.scope));
  if (path === undefined) return refuse(`No path from ${source.address} to ${destination.address} is known.`);
  if (others.length > 0) refuse(`Several paths are possible: ${[path, ...others].map(courseText).join("; or ")}.`);
  const conditions = path.conditions.filter((each) => !path.assumptions.includes(each));
  if (!path.isComplete) refuse(`The path is not known to its end: ${path.ends}.`);
  if (conditions.length > 0) refuse(`The path is not certain. It depends on whether ${[...new Set(conditions)].join(", and whether ")}.`);
  return path;
}

function courseText({ hops, conditions, ends }: WholePath): string {
  const targets = hops.map(({ target, scope }) => `${target} ${scope}`).join(", ");
  return `${targets}${conditions.length === 0 ? ` (${ends})` : `, if ${[...new Set(conditions)].join(" and ")}`}`;
}

function understood<Found>(find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "flow-not-understood") return refuse(error.message);
    throw error;
  }
}

interface Host {
  readonly address: string;
  /** The target that the user names. */
  readonly target: string | undefined;
}

/** Resolves an address, `TARGET:ADDRESS`, a name, or `TARGET:NAME`. A name may be known to several targets if its address is the same. */
function hostOf(text: string, flag: "from" | "to", parts: readonly Part[]): Host {
  if (addressNumber(text) !== undefined) return { address: text, target: undefined };
  const [, prefix = "", rest = ""] = /^([^:]+):(.+)$/.exec(text) ?? [];
  const target = parts.some((part) => part.target === prefix) ? prefix : undefined;
  const name = target === undefined ? text : rest;
  if (addressNumber(name) !== undefined) return { address: name, target };
  const selected = target === undefined ? parts : parts.filter((part) => part.target === target);
  const found = selected.flatMap((part) => part.transit.addressesOf(name).map((address) => ({ address, target: part.target })));
  const [first] = found;
  const addresses = new Set(found.map(({ address }) => address));
  if (first === undefined)
    return refuse(`--${flag} "${text}" is no address, and no target has a server or object of this name with a single address.`);
  if (addresses.size > 1) {
    const where = found.map((each) => `${each.address} (${each.target})`).join(", ");
    refuse(`--${flag} "${text}" has several addresses: ${where}. Write one address, or TARGET:NAME.`);
  }
  return { address: first.address, target };
}

/** Returns where a flow starts: the server or port with the address, or the only part with the address in a connected network. */
function startOf({ address, target }: Host, parts: readonly Part[]): Part {
  const selected = target === undefined ? parts : parts.filter((part) => part.target === target);
  const owners = selected.filter(({ transit }) => transit.ownerOf(address) !== undefined);
  const near = owners.length > 0 ? owners : selected.filter(({ transit }) => transit.neighbourOf(address, true) !== undefined);
  const found = near.length > 0 ? near : selected;
  const [start, ...others] = found;
  const next = `Write TARGET:${address} for the target that receives the flow first.`;
  if (start === undefined) return refuse("No target forwards flows.");
  if (others.length === 0) return start;
  if (near.length === 0) return refuse(`No target has ${address} in its own networks. ${next}`);
  return refuse(`Several targets have ${address}: ${found.map((part) => `${part.target} ${part.rulebase.scope}`).join(", ")}. ${next}`);
}

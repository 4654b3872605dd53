import { addressNumber } from "../core/address-range.js";
import { isOnePort } from "../core/service-range.js";
import { type PathAssertion, type PathWords, targetAndName } from "./assertions.js";
import type { Fleet } from "./fleet.js";
import { itemsWith, type Pairs } from "./header-items.js";
import type { HeaderReader, Pair } from "./header-reader.js";
import { suggest } from "./suggest.js";

const { mapOf, refuse, texts } = itemsWith("assertion-invalid");

const KEYS = ["from", "source", "destination", "service", "application", "reaches", "through"] as const;
type Key = (typeof KEYS)[number];

/** Maximum number of flows. Each is followed through all targets, before and after a plan. */
const MOST_FLOWS = 64;

interface Fault {
  readonly message: string;
  readonly next: string;
}

/** Reads `path:` of an assertion. */
export function readPath(
  reader: HeaderReader,
  pair: Pair,
  verdict: PathAssertion["verdict"] | undefined,
  targets: Fleet["targets"],
): PathWords | undefined {
  const keys = mapOf(reader, pair.value, KEYS, "A path");
  if (keys === undefined) return undefined;
  const read = KEYS.map((key) => [key, wordsOf(reader, pair, keys, key, targets)] as const);
  if (read.some(([, words]) => words === undefined)) return undefined;
  const words = Object.fromEntries(read) as Readonly<Record<Key, readonly string[]>>;
  const flows = [words.source, words.destination, words.service, words.application].reduce(
    (all, each) => all * Math.max(1, each.length),
    1,
  );
  if (flows > MOST_FLOWS)
    return refuse(reader, pair.key, `path: is about ${flows} flows, and may be about ${MOST_FLOWS}.`, "Write several assertions.");
  const reaches = keys.get("reaches");
  if (verdict === "deny" && reaches !== undefined)
    return refuse(reader, reaches.key, "verdict: deny is not allowed next to reaches:.", "A denied flow has no destination.");
  return { ...words, through: keys.has("through") ? words.through : undefined };
}

/** Returns one or several words. Empty for a missing optional key, and for `any` in one except `through`. */
function wordsOf(reader: HeaderReader, path: Pair, keys: Pairs, key: Key, targets: Fleet["targets"]): readonly string[] | undefined {
  const pair = keys.get(key);
  const isNeeded = key === "source" || key === "destination" || key === "service";
  if (pair === undefined)
    return isNeeded ? refuse(reader, path.key, `${key}: is missing: a path is that of one flow.`, `Write ${key}: and its value.`) : [];
  const isOne = reader.doc.kind(pair.value) === "scalar";
  const one = isOne ? reader.text(pair, key) : undefined;
  const read = one === undefined ? (isOne ? [] : texts(reader, pair, key)) : [{ text: one, node: pair.value }];
  if (read.length === 0)
    return isOne ? undefined : refuse(reader, pair.key, `${key}: is an empty list: it would match no flow.`, "Write its words.");
  const faults = read.map(({ text, node }) => ({ node, fault: faultOf(key, text, targets) }));
  for (const { node, fault } of faults) if (fault !== undefined) refuse(reader, node, fault.message, fault.next);
  if (faults.some(({ fault }) => fault !== undefined)) return undefined;
  const [first] = read;
  return !isNeeded && key !== "through" && read.length === 1 && first?.text === "any" ? [] : read.map(({ text }) => text);
}

function faultOf(key: Key, word: string, targets: Fleet["targets"]): Fault | undefined {
  switch (key) {
    case "through":
      return targetFault(word, targets);
    case "service":
      return isOnePort(word)
        ? undefined
        : { message: `"${word}" is not one port of one protocol.`, next: "Write tcp/443, udp/53, or icmp." };
    case "source":
    case "destination":
    case "reaches":
      return endFault(word, targets);
    default:
      return undefined;
  }
}

/** Returns an error in an end of a path, which must be a single address. */
function endFault(word: string, targets: Fleet["targets"]): Fault | undefined {
  if (addressNumber(word) !== undefined) return undefined;
  const [target, name] = targetAndName(word) ?? [];
  if (target !== undefined && !targets.has(target)) return targetFault(target, targets);
  const next = "Write an address, a name of this target that has one address, or TARGET:NAME; a list for several.";
  if (/[*?]/.test(word)) return { message: `"${word}" is a pattern, and names cannot be patterns.`, next };
  const isNone = word === "any" || /^[\d./-]+$/.test(word) || (name === undefined && word.includes(":"));
  return isNone ? { message: `"${word}" is not one address.`, next } : undefined;
}

function targetFault(name: string, targets: Fleet["targets"]): Fault | undefined {
  if (targets.has(name)) return undefined;
  return { message: `There is no target "${name}" in plumbline.yaml.`, next: suggest(name, [...targets.keys()]) };
}

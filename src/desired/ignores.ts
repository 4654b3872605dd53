import { PlumblineError } from "../core/errors.js";
import type { Path } from "../core/tree/path.js";
import { parseXPath } from "../core/tree/xpath/xpath.js";
import type { HeaderIgnore } from "./header.js";
import type { HeaderReader, Pair } from "./header-reader.js";
import type { ExpiredIgnore } from "./loaded.js";
import type { DesiredTarget } from "./model.js";

const KEYS = ["path", "owner", "reason", "until"] as const;

/** Reads the `ignore:` entries of a document. Paths without a leading `/` start at its place. */
export function readIgnores(reader: HeaderReader, pair: Pair | undefined, place: Path): HeaderIgnore[] {
  const { doc } = reader;
  if (pair === undefined) return [];
  if (doc.kind(pair.value) !== "sequence") {
    reader.error(
      new PlumblineError("ignore-incomplete", "ignore: takes a sequence.", {
        where: reader.where(pair.key),
        next: "Write - { path: …, owner: …, reason: … } below it.",
      }),
    );
    return [];
  }
  const ignores: HeaderIgnore[] = [];
  for (let item = doc.first(pair.value); !doc.ends(item); item = doc.after(item)) {
    const ignore = readIgnore(reader, item, place);
    if (ignore !== undefined) ignores.push(ignore);
  }
  return ignores;
}

function readIgnore(reader: HeaderReader, item: number, place: Path): HeaderIgnore | undefined {
  const incomplete = (what: string, next: string): undefined =>
    reader.error(new PlumblineError("ignore-incomplete", what, { where: reader.where(item), next }));
  if (reader.doc.kind(item) !== "map") return incomplete("An ignore is a map.", "Write { path: …, owner: …, reason: … }.");
  const pairs = reader.map(item, KEYS);
  const seen = new Map<string, string>();
  for (const [word, pair] of pairs) {
    const text = reader.text(pair, word);
    if (text === undefined) return undefined;
    seen.set(word, text);
  }
  const path = seen.get("path");
  const owner = seen.get("owner");
  const reason = seen.get("reason");
  const until = seen.get("until");
  if (path === undefined || owner === undefined || reason === undefined)
    return incomplete("An ignore needs path:, owner: and reason:.", "Write the owner and the reason of the exception.");
  if (until !== undefined && !isDate(until)) return incomplete(`"${until}" is no date.`, "Write until: as yyyy-mm-dd.");
  const absolute = path.startsWith("/") ? path : `${place.toString()}/${path}`;
  const node = pairs.get("path")?.value ?? item;
  const isReadable = reader.xpath(node, () => parseXPath(absolute)) !== undefined;
  return isReadable ? { path: absolute, owner, reason, until, node } : undefined;
}

/** Returns whether the text is an existing date, as yyyy-mm-dd. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns ignores with an end before `today` (yyyy-mm-dd). */
export function findExpired(targets: Iterable<DesiredTarget>, today: string): ExpiredIgnore[] {
  const expired: ExpiredIgnore[] = [];
  for (const { target, ignores } of targets)
    for (const ignore of ignores) if (ignore.until !== undefined && ignore.until < today) expired.push({ target, ignore });
  return expired;
}

/**
 * Returns the error for an expired ignore. In a run its path stays protected, and applies to the target are refused.
 *
 * @internal Not thrown anywhere: `plumbline validate` prints expired ignores itself. The test checks their places.
 */
export function expiredIgnoreError(expired: ExpiredIgnore, desired: DesiredTarget): PlumblineError {
  const { ignore, target } = expired;
  return new PlumblineError(
    "ignore-expired",
    `The ignore of ${ignore.path} ended on ${ignore.until} (owner: ${ignore.owner}; reason: ${ignore.reason}).`,
    {
      where: { ...desired.sources.locate(ignore.origin), target },
      next: "Delete it, or move until: to a later day if the reason still holds.",
    },
  );
}

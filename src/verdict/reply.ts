import { PlumblineError } from "../core/errors.js";
import { normalHash } from "../core/file-hash.js";
import type { TreeNode } from "../core/tree/node.js";
import { parseXml } from "../core/tree/xml/parse.js";
import { worse } from "../outcome/verdict-meaning.js";

/** A reply has up to 500 hashes of less than 250 bytes each, and a hash may have several entries. */
export const MAX_REPLY_BYTES = 4_000_000;

/** The specification has the root `analysis`; the service sends `wildfire` (docs/contributing/devices/verdict-service.md). */
const ROOTS: ReadonlySet<string> = new Set(["analysis", "wildfire"]);

/**
 * Returns the verdicts of a reply by hash (lower case). An entry counts for its MD5 and its SHA-256; the worse of two entries wins.
 * Throws `verdict-reply-broken` for incomplete XML, and `verdict-reply-not-understood` for XML with other content.
 */
export function readVerdicts(body: Uint8Array, origin: string): ReadonlyMap<string, number> {
  const root = parse(body, origin);
  if (!ROOTS.has(root.tag)) throw notUnderstood(origin, `its root is <${root.tag}>`);
  const verdicts = new Map<string, number>();
  for (const entry of root.children) {
    if (entry.tag !== "get-verdict-info") continue;
    const verdict = verdictOf(entry, origin);
    for (const tag of ["sha256", "md5"]) {
      const hash = normalHash(textAt(entry, tag));
      if (hash === undefined) continue;
      const known = verdicts.get(hash);
      verdicts.set(hash, known === undefined ? verdict : worse(known, verdict));
    }
  }
  return verdicts;
}

/** Returns the `error-message` below any root, without its quotes. Undefined if it is missing or empty. */
export function readErrorMessage(body: Uint8Array): string | undefined {
  try {
    const root = parseXml(body, { maxBytes: MAX_REPLY_BYTES });
    const words = textAt(root, "error-message").replace(/^'([\s\S]*)'$/, "$1");
    return words === "" ? undefined : words;
  } catch (error) {
    if (error instanceof PlumblineError) return undefined;
    throw error;
  }
}

function parse(body: Uint8Array, origin: string): TreeNode {
  try {
    return parseXml(body, { maxBytes: MAX_REPLY_BYTES });
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    throw brokenReply(origin, `no complete XML (${error.code})`);
  }
}

/** Returns the error for a reply that is truncated, too long or not XML. */
export function brokenReply(origin: string, why: string): PlumblineError {
  return new PlumblineError("verdict-reply-broken", `${origin} sent a reply that cannot be believed: ${why}`, {
    next: "Run again. If the error persists, look for a proxy that answers in its place or truncates replies.",
  });
}

function verdictOf(entry: TreeNode, origin: string): number {
  const text = textAt(entry, "verdict");
  if (!/^-?\d{1,9}$/.test(text)) throw notUnderstood(origin, `an entry has the verdict "${text}"`);
  return Number(text);
}

function textAt(node: TreeNode, tag: string): string {
  return node.children.find((child) => child.tag === tag)?.text.trim() ?? "";
}

function notUnderstood(origin: string, why: string): PlumblineError {
  return new PlumblineError("verdict-reply-not-understood", `${origin} sent XML that is not a list of verdicts: ${why}`, {
    next: "Check that the address is that of the verdict service.",
  });
}

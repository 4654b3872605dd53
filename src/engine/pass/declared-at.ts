import { PlumblineError } from "../../core/errors.js";
import { childAt } from "../../core/tree/lookup.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { DesiredNode, DesiredTarget } from "../../desired/model.js";

/** Codes of errors whose message comes from the target. Only these messages are searched for a declared object. */
const REFUSED_IN_WORDS: ReadonlySet<string> = new Set(["commit-failed", "validation-failed", "object-refused"]);

/** Adds the file, line and column of the declaration that an error is about, if there is one. */
export function withDeclaration(error: PlumblineError, desired: DesiredTarget): PlumblineError {
  const { code, message, where, next, severity, cause } = error;
  if (where.file !== undefined) return error;
  const byPath = where.xpath === undefined ? undefined : declaredAt(desired.root, where.xpath);
  const node = byPath ?? (REFUSED_IN_WORDS.has(code) ? declaredInWords(desired.root, message) : undefined);
  const location = node === undefined ? undefined : desired.sources.locate(node.origin);
  if (location === undefined) return error;
  return new PlumblineError(code, message, { where: { ...where, ...location }, next, severity, cause });
}

/** Returns the declared node at a path, or its nearest declared ancestor. Undefined for an entry that is not declared. */
function declaredAt(root: DesiredNode, xpath: string): DesiredNode | undefined {
  let node: DesiredNode | undefined = root;
  let found: DesiredNode | undefined;
  try {
    for (const step of parsePath(xpath).steps().slice(1)) {
      node = childAt(node, step) as DesiredNode | undefined;
      if (node === undefined) return step.name === undefined ? found : undefined;
      if (node.declared && node.origin >= 0) found = node;
    }
  } catch {
    // Not an XPath of a single node, so it has no declaration.
  }
  return found;
}

/**
 * Finds the declared node that a target's message names, for example ` web -> ip-netmask x is invalid`: names and tags with arrows between
 * them.
 * Undefined if several nodes match equally well.
 */
function declaredInWords(root: DesiredNode, words: string): DesiredNode | undefined {
  let best: { readonly node: DesiredNode; readonly steps: number } | undefined;
  let isOne = false;
  for (const chain of chainsIn(words)) {
    for (const entry of entriesBelow(root)) {
      const found = along(entry, chain);
      if (found === undefined || found.steps < (best?.steps ?? 0)) continue;
      isOne = best === undefined || found.steps > best.steps || found.node === best.node;
      best = found;
    }
  }
  return isOne ? best?.node : undefined;
}

/** Splits a message into chains of words with arrows between them. The last part of a chain may continue with other text. */
function chainsIn(words: string): string[][] {
  return words
    .split(/\n|(?<=[.:]) /)
    .filter((line) => line.includes("->"))
    .map((line) => line.split("->").map((part) => part.trim()));
}

function* entriesBelow(node: DesiredNode): Generator<DesiredNode> {
  for (const child of node.children) {
    if (child.name !== undefined && child.declared && child.origin >= 0) yield child;
    yield* entriesBelow(child);
  }
}

/** How far a chain leads into an entry that one of its words names. */
function along(entry: DesiredNode, chain: readonly string[]): { readonly node: DesiredNode; readonly steps: number } | undefined {
  const start = chain.findIndex((part) => part === entry.name || part.endsWith(` ${entry.name}`));
  if (start === -1) return undefined;
  let node = entry;
  let steps = 1;
  for (const part of chain.slice(start + 1)) {
    const tag = part.split(/\s/)[0];
    const next = node.children.find((child) => child.tag === tag || child.name === part);
    if (next === undefined) break;
    node = next;
    steps += 1;
  }
  return { node: node.origin >= 0 ? node : entry, steps };
}

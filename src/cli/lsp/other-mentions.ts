import { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { FLOW_FIELDS } from "../../desired/assertions.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import { placeAt, rootPlace } from "../../plan/scoped-path.js";
import { type Edit, mentionsIn, rewritten } from "./name-edits.js";
import type { NameIndex } from "./name-index.js";
import type { Subject, TokensOf } from "./subjects.js";
import type { Token, Tokens } from "./tokens.js";

interface Rename {
  readonly loaded: LoadedDesired;
  readonly indexes: ReadonlyMap<string, NameIndex>;
  readonly tokensOf: TokensOf;
  readonly subjects: readonly Subject[];
  readonly from: string;
  readonly to: string;
}

interface OtherEdits {
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  /** A place that may name the object, but cannot be changed. */
  readonly unsure?: string | undefined;
}

/** A document of some targets. */
interface Page {
  readonly tokens: Tokens;
  /** Targets that the document declares. */
  readonly targets: readonly string[];
  /** The place of `scope:` or `at:`. */
  readonly base: Path | undefined;
}

const EXPRESSION = /\$\{([\w.-]+):([^}]*)\}/g;
const WORDS: ReadonlySet<string> = new Set([...FLOW_FIELDS, "reaches"]);

/** Finds a name outside references: in XPaths of a header and of expressions, in assertions, and in positions of rules. */
export function otherEdits(rename: Rename): OtherEdits {
  const { loaded, tokensOf, indexes } = rename;
  const edits = new Map<string, readonly Edit[]>();
  for (const file of new Set([...loaded.filesByTarget.values()].flat())) {
    const tokens = tokensOf(file);
    if (tokens === undefined) continue;
    const targets = [...loaded.filesByTarget].filter(([, files]) => files.includes(file)).map(([name]) => name);
    const page = { tokens, targets, base: baseOf(tokens, indexes.get(targets[0] ?? "")) };
    const found: Edit[] = [];
    for (const token of tokens.all()) {
      if (!token.scalar.value.includes(rename.from)) continue;
      const here = editsIn(token, page, rename);
      if (here === "unsure") return { edits, unsure: `${file}:${tokens.position(token.start).line + 1}` };
      found.push(...here);
    }
    if (found.length > 0) edits.set(file, found);
  }
  return { edits };
}

function baseOf(tokens: Tokens, index: NameIndex | undefined): Path | undefined {
  const header = (name: string): string | undefined =>
    tokens.all().find(({ isKey, keys }) => !isKey && keys.length === 1 && keys[0] === name)?.scalar.value;
  const [scope, at] = [header("scope"), header("at")];
  try {
    return scope === undefined ? (at === undefined ? undefined : parsePath(at)) : index?.kind.place(scope);
  } catch {
    return undefined;
  }
}

function editsIn(token: Token, page: Page, rename: Rename): readonly Edit[] | "unsure" {
  const { subjects, from, to } = rename;
  const [section = ""] = token.keys;
  const raw = page.tokens.text.slice(token.start, token.end);
  const here = subjects.filter(({ index }) => page.targets.includes(index.target));
  const mentions = subjects.flatMap(({ index, path }) =>
    [...raw.matchAll(EXPRESSION)].flatMap(({ index: at, 1: target = "", 2: xpath = "" }) => {
      const name = { from, to, at: path };
      return target === index.target
        ? mentionsIn(xpath, token.start + at + target.length + 3, name, Path.root.child(index.kind.rootTag))
        : [];
    }),
  );
  if (section !== "config" && !raw.includes("${"))
    for (const { path } of here) {
      const quotes = /^["']/.test(raw) ? 1 : 0;
      mentions.push(...mentionsIn(raw.slice(quotes), token.start + quotes, { from, to, at: path }, page.base ?? Path.root));
    }
  const isSure = mentions.some(({ means }) => means === "object");
  if (!isSure && mentions.some(({ means }) => means === "unsure")) return "unsure";
  const edits = mentions.filter(({ means }) => means === "object").map(({ edit }) => edit);
  if (token.isKey || edits.length > 0) return edits;
  const isWord = section === "assert" && isWordFor(token, page, here, from);
  const isAnchor = isAnchorOf(token, here, page);
  if (token.scalar.value === from && (isWord || isAnchor)) return [rewritten(token, to)];
  const owner = section === "assert" ? subjects.find(({ index }) => token.scalar.value === `${index.target}:${from}`) : undefined;
  return owner === undefined ? [] : [rewritten(token, `${owner.index.target}:${to}`)];
}

/** Returns whether a word of an assertion means the object: it is the nearest one with this name from the scope of the document. */
function isWordFor({ keys }: Token, { base }: Page, subjects: readonly Subject[], name: string): boolean {
  const field = keys.at(-1) ?? "";
  if (field === "overlaps") return subjects.some(({ index, path }) => index.at(path) === undefined);
  if (!WORDS.has(field) || base === undefined) return false;
  return subjects.some(({ index, path }) => {
    const object = index.at(path);
    if (object === undefined) return false;
    const used = index.uses.filter(({ reference }) => [reference.path.tag, reference.path.parent?.tag].includes(field));
    const kinds = used.flatMap(({ reference }) => reference.kinds);
    if (kinds.length > 0 && !kinds.includes(object.kind)) return false;
    const node = index.node(Path.root.child(index.kind.rootTag));
    if (node === undefined) return false;
    const { scope } = placeAt(rootPlace(node, index.kind.shape, index.scopes), base, index.scopes);
    const meant = index.resolve({ path: base, value: name, kinds: [object.kind], scope, holder: undefined });
    return meant?.path.toString() === path.toString();
  });
}

/** Returns whether a text is the anchor of a `$position` in the list of the entry. */
function isAnchorOf({ keys }: Token, subjects: readonly Subject[], { base }: Page): boolean {
  const at = keys.indexOf("$position");
  if (at === -1 || base === undefined) return false;
  const steps = keys.slice(1, at).filter((key) => !key.startsWith("$"));
  return subjects.some(({ path }) => {
    const list = path.parent?.steps().map(({ tag, name }) => (tag === "entry" ? (name ?? "") : tag)) ?? [];
    const start = base.steps().map(({ tag, name }) => (tag === "entry" ? (name ?? "") : tag));
    return [...start, ...steps].join("\n") === list.join("\n");
  });
}

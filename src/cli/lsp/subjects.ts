import type { Path } from "../../core/tree/path.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import type { DesiredNode } from "../../desired/model.js";
import type { Location } from "../../desired/source-map.js";
import type { NameIndex, Use } from "./name-index.js";
import { type Cursor, placesAt } from "./places.js";
import type { Token, Tokens } from "./tokens.js";

/** A declared entry of one target: an object, or a rule. */
export interface Subject {
  readonly index: NameIndex;
  readonly path: Path;
}

/** A place in a document that contains a name. */
export interface Site extends Location {
  readonly node: DesiredNode;
  /** The place declares the object. Otherwise it refers to it. */
  readonly declares: boolean;
}

/** Reads the texts of documents, and keeps what it has read. */
export type TokensOf = (file: string) => Tokens | undefined;

/** Returns the entry of each target that the text at the cursor declares or refers to, and that text. */
export function subjectsAt(
  loaded: LoadedDesired,
  indexes: ReadonlyMap<string, NameIndex>,
  tokensOf: TokensOf,
  file: string,
  cursor: Cursor,
): { readonly subjects: readonly Subject[]; readonly token: Token } | undefined {
  const tokens = tokensOf(file);
  const token = tokens?.containing(tokens.offset(cursor));
  if (tokens === undefined || token === undefined) return undefined;
  const subjects = placesAt(loaded, file, cursor).flatMap(({ target, node, path }) => {
    const index = indexes.get(target);
    const isHere = index?.places(node).some((place) => place.file === file && tokenAt(tokens, node, place) === token) === true;
    if (index === undefined || !isHere) return [];
    const use = index.uses.find((each) => each.node === node);
    if (use?.definition !== undefined) return [{ index, path: use.definition.path }];
    return use === undefined && node.tag === "entry" && node.name !== undefined ? [{ index, path }] : [];
  });
  return subjects.length === 0 ? undefined : { subjects, token };
}

/** Returns the text of a name at its place. */
export function tokenAt(tokens: Tokens, node: DesiredNode, { line, column }: Location): Token | undefined {
  return tokens.of(node, tokens.offset({ line: line - 1, character: column - 1 }));
}

/** Returns every place that declares the subject. */
export function declarationsOf({ index, path }: Subject): readonly Site[] {
  const node = index.node(path);
  return node === undefined ? [] : index.places(node).map((place) => ({ ...place, node, declares: true }));
}

/** Returns every place that refers to the subject. */
export function usesOf({ index, path }: Subject): readonly Site[] {
  const id = path.toString();
  return index.uses.filter(({ definition }) => definition?.path.toString() === id).flatMap((use) => sitesOf(index, use));
}

/** Returns every place of a reference. */
export function sitesOf(index: NameIndex, { node }: Use): readonly Site[] {
  return index.places(node).map((place) => ({ ...place, node, declares: false }));
}

/** Returns each place once. */
export function distinct(sites: readonly Site[]): readonly Site[] {
  return [...new Map(sites.map((site) => [siteKey(site), site])).values()];
}

export function siteKey({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

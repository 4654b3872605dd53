import type { PlumblineError } from "../../core/errors.js";
import { shapeAt } from "../../core/tree/lookup.js";
import type { Path } from "../../core/tree/path.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import { type Edit, formerName, rewritten } from "./name-edits.js";
import { NameIndex } from "./name-index.js";
import { otherEdits } from "./other-mentions.js";
import type { Cursor } from "./places.js";
import { declarationsOf, type Site, type Subject, siteKey, sitesOf, subjectsAt, type TokensOf, tokenAt, usesOf } from "./subjects.js";
import type { Token } from "./tokens.js";
import { applyEdits, unlikeAfter } from "./verify-rename.js";
import type { Workspace } from "./workspace.js";

/** The reason why a name cannot be changed, for the user. */
export class RenameRefused extends Error {}

/** Edits by file name. */
export type FileEdits = ReadonlyMap<string, readonly Edit[]>;

interface Named {
  readonly loaded: LoadedDesired;
  readonly indexes: ReadonlyMap<string, NameIndex>;
  readonly tokensOf: TokensOf;
  readonly subjects: readonly Subject[];
  readonly token: Token;
  readonly name: string;
}

/** Returns the name at the cursor, if it can be renamed. */
export async function namedAt(workspace: Workspace, file: string, cursor: Cursor): Promise<Named> {
  const { loaded, errors } = await workspace.check();
  if (loaded === undefined) throw new RenameRefused(`The desired state has errors. Fix them first: ${firstOf(errors)}`);
  const indexes = await NameIndex.ofAll(loaded);
  const tokensOf = workspace.tokens();
  const found = subjectsAt(loaded, indexes, tokensOf, file, cursor);
  const name = found?.subjects[0]?.path.name;
  if (found === undefined || name === undefined) throw new RenameRefused("There is no name of a declared object or rule here.");
  for (const { index, path } of found.subjects) {
    const shape = shapeAt(path, index.kind.shape);
    if (shape.scope) throw new RenameRefused(`"${name}" is a scope. Rename it on the device and in scope: of its documents.`);
  }
  return { loaded, indexes, tokensOf, name, ...found };
}

/**
 * Returns the edits that rename the object or rule at the cursor in all documents. A declaration gets `$was`, so that a run renames the
 * object on the device. The edits are checked: afterwards every reference leads to the same object, and there is no new error or warning.
 *
 * @throws RenameRefused
 */
export async function renameAt(workspace: Workspace, file: string, cursor: Cursor, to: string): Promise<FileEdits> {
  const named = await namedAt(workspace, file, cursor);
  const { tokensOf, name: from, indexes, loaded } = named;
  if (to === from) return new Map();
  if (to.trim() === "" || to.includes("${")) throw new RenameRefused("A name is a text without references.");
  const { subjects, sites } = everySite(named);
  const edits = new Map<string, Edit[]>();
  const add = (at: string, more: readonly Edit[]): void => {
    const all = edits.get(at) ?? [];
    const isNew = (edit: Edit): boolean => !all.some((each) => each.start === edit.start && each.end === edit.end);
    edits.set(at, [...all, ...more.filter(isNew)]);
  };
  const renamed = subjects.map(({ index, path }): [string, Path, Path] => [index.target, path, (path.parent as Path).entry(to, path.tag)]);
  for (const [target, , path] of renamed)
    if (indexes.get(target)?.node(path) !== undefined) throw new RenameRefused(`Target "${target}" has a "${to}" already, at ${path}.`);
  const others = otherEdits({ loaded, indexes, tokensOf, subjects, from, to });
  if (others.unsure !== undefined)
    throw new RenameRefused(`${others.unsure} names "${from}" in a form that is not understood. Rename it there manually.`);
  for (const [at, more] of others.edits) add(at, more);
  for (const site of sites) add(site.file, editsAt(site, { tokensOf, from, to, known: edits.get(site.file) ?? [] }));
  const texts = applyEdits(edits, tokensOf);
  const after = await workspace.withAll(texts);
  const problem = await unlikeAfter(await workspace.check(), indexes, after, { renamed, from, to });
  if (problem !== undefined) throw new RenameRefused(problem);
  return edits;
}

/** Returns the subjects and all their places. A document for several targets names one object of each, which are renamed together. */
function everySite({ indexes, subjects, name }: Named): { readonly subjects: readonly Subject[]; readonly sites: readonly Site[] } {
  const bySite = placesOfAll(indexes, name);
  const known = new Map<string, Subject>();
  const sites = new Map<string, Site>();
  const waiting = [...subjects];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const key = `${next.index.target} ${next.path}`;
    if (known.has(key)) continue;
    known.set(key, next);
    refuseDoubts(next);
    for (const site of [...declarationsOf(next), ...usesOf(next)]) {
      sites.set(siteKey(site), site);
      for (const { subject, index } of bySite.get(siteKey(site)) ?? []) {
        if (subject === undefined)
          throw new RenameRefused(`${place(site)} also applies to target "${index.target}", where no document declares "${name}".`);
        waiting.push(subject);
      }
    }
  }
  return { subjects: [...known.values()], sites: [...sites.values()] };
}

interface AtSite {
  readonly index: NameIndex;
  /** Undefined for a reference to an object that no document declares. */
  readonly subject: Subject | undefined;
}

/** Returns what each place with this name means, for every target. */
function placesOfAll(indexes: ReadonlyMap<string, NameIndex>, name: string): ReadonlyMap<string, readonly AtSite[]> {
  const found = new Map<string, AtSite[]>();
  const add = (site: Site, at: AtSite): void => void found.set(siteKey(site), [...(found.get(siteKey(site)) ?? []), at]);
  for (const index of indexes.values()) {
    for (const { path } of index.definitions.filter((definition) => definition.name === name))
      for (const site of declarationsOf({ index, path })) add(site, { index, subject: { index, path } });
    for (const use of index.uses.filter(({ reference }) => reference.value === name)) {
      const subject = use.definition === undefined ? undefined : { index, path: use.definition.path };
      for (const site of sitesOf(index, use)) add(site, { index, subject });
    }
  }
  return found;
}

/** Refuses a rename if the documents do not show whether a reference means this object or another one with its name. */
function refuseDoubts({ index, path }: Subject): void {
  const own = path.toString();
  for (const use of index.uses) {
    if (use.reference.value !== path.name) continue;
    const doubts = index.doubts(use.reference, use.definition);
    if (doubts.length === 0 || ![use.definition, ...doubts].some((each) => each?.path.toString() === own)) continue;
    const [site] = sitesOf(index, use);
    const scopes = [...new Set([use.definition, ...doubts].flatMap((each) => each?.scope.id ?? []))].join(" and ");
    throw new RenameRefused(
      `${place(site)} can mean "${path.name}" of ${scopes}: the documents do not show the hierarchy of these scopes.`,
    );
  }
}

function editsAt(
  site: Site,
  { tokensOf, from, to, known }: { tokensOf: TokensOf; from: string; to: string; known: readonly Edit[] },
): Edit[] {
  const tokens = tokensOf(site.file);
  const token = tokens === undefined ? undefined : tokenAt(tokens, site.node, site);
  if (tokens === undefined || token === undefined) throw new RenameRefused(`${place(site)} does not contain the name as plain text.`);
  // A reference to the name of the object in an expression, whose path is changed.
  if (!site.declares && known.some(({ start, end }) => token.start <= start && end <= token.end)) return [];
  if (token.scalar.value !== from)
    throw new RenameRefused(`${place(site)}: the name "${from}" comes from ${token.scalar.value}. Change that text instead.`);
  const was = site.declares
    ? formerName(tokens, tokens.bodyOf(tokens.offset({ line: site.line - 1, character: site.column - 1 })), from, to)
    : [];
  return [rewritten(token, to), ...was];
}

function place(site: Site | undefined): string {
  return site === undefined ? "A document" : `${site.file}:${site.line}`;
}

function firstOf(errors: readonly PlumblineError[]): string {
  return errors[0]?.message ?? "unknown error";
}

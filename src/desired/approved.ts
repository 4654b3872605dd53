import { realpathSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { parseDocument } from "yaml";
import { PlumblineError } from "../core/errors.js";
import { compileGlob, GlobError } from "../core/glob.js";
import { readRegularFileSync, whyUnread } from "../core/regular-file.js";
import { checkoutRoot, isBelow } from "./commands.js";
import { duplicateKeys } from "./configuration/configuration-text.js";
import type { SecretReference } from "./template.js";

/** Returns whether a reference may be read. */
export type ReferencePolicy = (reference: SecretReference) => boolean;

/** Returns whether a credential may be sent to an origin. `reference` is its source, as `env:NAME`; undefined for other sources. */
export type OriginPolicy = (reference: string | undefined, origin: string) => boolean;

/** Maximum size of the approved configuration, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

type Matches = (text: string) => boolean;

/** Content of the file in `PLUMBLINE_APPROVED`. A missing list is `undefined`. */
interface Approved {
  readonly references: readonly Matches[] | undefined;
  /** Origins by reference. */
  readonly credentials: ReadonlyMap<string, readonly Matches[]> | undefined;
}

/**
 * Returns the references that `references:` and `credentials:` of the file in `PLUMBLINE_APPROVED` allow. Returns undefined if the variable
 * is not set or the file has neither list. `folder` contains the current, possibly unapproved, `plumbline.yaml`.
 *
 * @throws PlumblineError `approved-unreadable` if the file is missing, invalid, or in the checkout
 */
export function approvedReferences(setting: string | undefined, folder: string): ReferencePolicy | undefined {
  const approved = readApproved(setting, folder);
  if (approved?.references === undefined && approved?.credentials === undefined) return undefined;
  const keys = [...(approved.credentials?.keys() ?? [])].map(
    (key): Matches =>
      (text) =>
        text === key,
  );
  const patterns = [...(approved.references ?? []), ...keys];
  const root = checkoutRoot(folder);
  return (reference) => {
    const { kind, argument } = reference;
    if (kind !== "file" && kind !== "sops") return patterns.some((matches) => matches(`${kind}:${argument}`));
    const key = kind === "sops" ? argument.slice(argument.lastIndexOf("#")) : "";
    const path = resolve(folder, argument.slice(0, argument.length - key.length));
    // A commit could have added a link to any place to the checkout.
    if (isBelow(root, path) && !isBelow(root, realOf(path))) return false;
    return patterns.some((matches) => matches(`${kind}:${path}${key}`) || (isBelow(root, path) && matches(`${kind}:${argument}`)));
  };
}

/**
 * Returns the origins that `credentials:` of this file allow. Returns undefined if it has no such list.
 *
 * @throws PlumblineError `approved-unreadable`, like `approvedReferences`
 */
export function approvedOrigins(setting: string | undefined, folder: string): OriginPolicy | undefined {
  const credentials = readApproved(setting, folder)?.credentials;
  if (credentials === undefined) return undefined;
  const all = [...credentials.values()].flat();
  return (reference, origin) => (reference === undefined ? all : (credentials.get(reference) ?? [])).some((matches) => matches(origin));
}

function readApproved(setting: string | undefined, folder: string): Approved | undefined {
  const file = setting?.trim() ?? "";
  if (file === "") return undefined;
  if (!isAbsolute(file)) throw unreadable(file, "is not named by an absolute path");
  let text: string;
  try {
    const real = realpathSync(file);
    if (isBelow(checkoutRoot(folder), real)) throw unreadable(file, "lies in the checkout, where a commit can change it");
    text = readRegularFileSync(real, MOST_BYTES).toString("utf8");
  } catch (cause) {
    if (cause instanceof PlumblineError) throw cause;
    throw unreadable(file, `cannot be read (${whyUnread(cause)})`);
  }
  return understood(text, file);
}

function understood(text: string, file: string): Approved {
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: "silent", uniqueKeys: false });
    if (document.errors.length > 0 || duplicateKeys(document, text).length > 0) throw new Error("not YAML");
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    // Other content, such as the text of a symbolic link, would otherwise mean no limits.
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new GlobError("it is not a map");
    const { references, credentials } = value as Readonly<Record<string, unknown>>;
    return {
      references: references === undefined ? undefined : patternsOf(references, "references:"),
      credentials: credentials === undefined ? undefined : originsOf(credentials),
    };
  } catch (cause) {
    throw unreadable(file, cause instanceof GlobError ? `is not understood: ${cause.message}` : "is no YAML");
  }
}

function originsOf(value: unknown): Approved["credentials"] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new GlobError("credentials: is no list by reference");
  return new Map(Object.entries(value).map(([reference, origins]) => [reference, patternsOf(origins, `credentials: ${reference}`)]));
}

function patternsOf(value: unknown, what: string): Matches[] {
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) throw new GlobError(`${what} is no list of patterns`);
  return value.map((each: string) => compileGlob(each));
}

/** A missing file has no links to resolve. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function unreadable(file: string, why: string): PlumblineError {
  return new PlumblineError("approved-unreadable", `The approved configuration ${why}.`, {
    where: { file },
    next: "Let PLUMBLINE_APPROVED name a plumbline.yaml outside the checkout by its absolute path, or take the variable away.",
  });
}

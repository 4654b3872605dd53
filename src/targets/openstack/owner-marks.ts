import { type JsonObject, objectAt, textAt, texts } from "../../core/json/value.js";
import type { Birth } from "./read/naming.js";

/** The owner of an object and its key in the owner's documents. */
export interface OwnerMark {
  readonly owner: string;
  readonly key: string;
}

const OWNER_TAG = "plumbline:owner=";
const KEY_TAG = "plumbline:key=";

export const OWNER_METADATA = "plumbline_owner";
export const KEY_METADATA = "plumbline_key";
export const RUN_METADATA = "plumbline_run";
/** ID of the image of a server, a space, and its name in the documents. */
const IMAGE_METADATA = "plumbline_image";
/** Maximum length of a metadata value. */
const LONGEST_VALUE = 255;

/** Returns the tags that contain a mark. */
export function markTags({ owner, key }: OwnerMark): string[] {
  return [`${OWNER_TAG}${owner}`, `${KEY_TAG}${key}`];
}

/** Returns the tags of an object without its mark. */
export function otherTags(object: JsonObject): string[] {
  return tagsOf(object).filter((tag) => !tag.startsWith(OWNER_TAG) && !tag.startsWith(KEY_TAG));
}

/** Returns the mark in the tags of an object, or in its initial description. */
export function networkMark(object: JsonObject): OwnerMark | undefined {
  return markInTags(object) ?? markInDescription(textAt(object, "description"));
}

export function markInTags(object: JsonObject): OwnerMark | undefined {
  const tags = tagsOf(object);
  const owner = tags.find((tag) => tag.startsWith(OWNER_TAG))?.slice(OWNER_TAG.length);
  const key = tags.find((tag) => tag.startsWith(KEY_TAG))?.slice(KEY_TAG.length);
  return owner === undefined || key === undefined ? undefined : { owner, key };
}

/**
 * Without tags in a create, an object is created with its mark as description, then gets its tags, then its real description. This
 * identifies the objects of an interrupted run. The mark does not stay in the description, because users would copy it with the object.
 */
export function birthDescription(mark: OwnerMark): string {
  return markTags(mark).join(" ");
}

function markInDescription(description: string | undefined): OwnerMark | undefined {
  const match = /^plumbline:owner=(\S+) plumbline:key=(.+)$/.exec(description ?? "");
  return match === null ? undefined : { owner: match[1] ?? "", key: match[2] ?? "" };
}

/** Returns the mark in the metadata of a server or volume. */
export function metadataMark(server: JsonObject): OwnerMark | undefined {
  const metadata = objectAt(server, "metadata") ?? {};
  const owner = textAt(metadata, OWNER_METADATA);
  const key = textAt(metadata, KEY_METADATA);
  return owner === undefined || key === undefined ? undefined : { owner, key };
}

/** A network object whose mark is only in the description is incomplete. */
export function networkBirth(object: JsonObject): Birth {
  return { at: textAt(object, "created_at") ?? "", isHalfMade: markInTags(object) === undefined, maker: undefined };
}

/**
 * An object with its mark in the metadata is created by a single request. Two objects with the same run, account and mark are one request
 * that was sent twice.
 */
export function metadataBirth(server: JsonObject): Birth {
  const run = textAt(objectAt(server, "metadata") ?? {}, RUN_METADATA);
  const user = textAt(server, "user_id");
  return {
    at: textAt(server, "created") ?? textAt(server, "created_at") ?? "",
    isHalfMade: false,
    maker: run === undefined || user === undefined ? undefined : { run, account: user },
  };
}

const MARKS: ReadonlySet<string> = new Set([OWNER_METADATA, KEY_METADATA, RUN_METADATA, IMAGE_METADATA]);

/** Whether the metadata key belongs to a mark. */
export function isMarkMetadata(key: string): boolean {
  return MARKS.has(key);
}

/** Returns the metadata that notes the image of a server. */
export function imageMark(id: string | undefined, name: string | undefined): Record<string, string> {
  const value = `${id} ${name}`;
  return id === undefined || name === undefined || value.length > LONGEST_VALUE ? {} : { [IMAGE_METADATA]: value };
}

/** Returns the documents' name of the image that a server was made from; undefined if it has another image since, or no note. */
export function markedImage(server: JsonObject): string | undefined {
  const id = textAt(objectAt(server, "image") ?? {}, "id");
  const value = textAt(objectAt(server, "metadata") ?? {}, IMAGE_METADATA);
  return id !== undefined && value?.startsWith(`${id} `) === true ? value.slice(id.length + 1) : undefined;
}

/** Adds the mark to the comment of a public key: key pairs have neither tags nor metadata, and their names are unique. */
export function markedPublicKey(publicKey: string, { owner, key }: OwnerMark): string {
  return `${withoutMark(publicKey)} plumbline:owner=${owner} plumbline:key=${key}`;
}

const COMMENT_MARK = /\s+plumbline:owner=(\S+) plumbline:key=(.+?)\s*$/;

/** Returns the mark in the comment of a public key, unless it was copied from another key pair. */
export function keyPairMark(keyPair: JsonObject): OwnerMark | undefined {
  const match = COMMENT_MARK.exec(textAt(keyPair, "public_key") ?? "");
  if (match === null || match[2] !== textAt(keyPair, "name")) return undefined;
  return { owner: match[1] ?? "", key: match[2] ?? "" };
}

/** Returns the public key without the mark. */
export function withoutMark(publicKey: string): string {
  return publicKey.replace(COMMENT_MARK, "").trim();
}

function tagsOf(object: JsonObject): string[] {
  return texts(object.tags) ?? [];
}

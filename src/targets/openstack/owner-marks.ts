import { type JsonObject, objectAt, textAt, texts } from "../../core/json/value.js";
import type { Birth } from "./read/naming.js";

/** Whose an object is, and by which key that owner's documents call it. */
export interface OwnerMark {
  readonly owner: string;
  readonly key: string;
}

const OWNER_TAG = "plumbline:owner=";
const KEY_TAG = "plumbline:key=";

export const OWNER_METADATA = "plumbline_owner";
export const KEY_METADATA = "plumbline_key";
export const RUN_METADATA = "plumbline_run";
/** ID of the image that a server was made from, a space, and the name by which the documents called it. */
const IMAGE_METADATA = "plumbline_image";
/** Longest value of a metadata key. */
const LONGEST_VALUE = 255;

/** Tags of the network service that carry a mark. */
export function markTags({ owner, key }: OwnerMark): string[] {
  return [`${OWNER_TAG}${owner}`, `${KEY_TAG}${key}`];
}

/** The tags of an object that are no marks. */
export function otherTags(object: JsonObject): string[] {
  return tagsOf(object).filter((tag) => !tag.startsWith(OWNER_TAG) && !tag.startsWith(KEY_TAG));
}

/** The mark in the tags of an object, or in the description that it is born with. */
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
 * Where the network service takes no tags in a create, an object is born with its mark as description, gets its tags, then its real
 * description. What a run that was killed in between left is so recognised. It may not stay: who copies the object would copy it.
 */
export function birthDescription(mark: OwnerMark): string {
  return markTags(mark).join(" ");
}

function markInDescription(description: string | undefined): OwnerMark | undefined {
  const said = /^plumbline:owner=(\S+) plumbline:key=(.+)$/.exec(description ?? "");
  return said === null ? undefined : { owner: said[1] ?? "", key: said[2] ?? "" };
}

/** The mark in the metadata of a server or a volume. */
export function metadataMark(server: JsonObject): OwnerMark | undefined {
  const metadata = objectAt(server, "metadata") ?? {};
  const owner = textAt(metadata, OWNER_METADATA);
  const key = textAt(metadata, KEY_METADATA);
  return owner === undefined || key === undefined ? undefined : { owner, key };
}

/** A network's object has its mark in the description alone until a run goes on with it. */
export function networkBirth(object: JsonObject): Birth {
  return { at: textAt(object, "created_at") ?? "", isHalfMade: markInTags(object) === undefined, maker: undefined };
}

/** What has its mark in its metadata is made whole by one request: those of one run and one account with one mark are one request that was sent twice. */
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

/** True for metadata that is a mark. */
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

/** A public key whose comment carries the mark: key pairs have neither tags nor metadata, and names are unique. */
export function markedPublicKey(publicKey: string, { owner, key }: OwnerMark): string {
  return `${withoutMark(publicKey)} plumbline:owner=${owner} plumbline:key=${key}`;
}

const COMMENT_MARK = /\s+plumbline:owner=(\S+) plumbline:key=(.+?)\s*$/;

/** The mark in the comment of a key pair's public key, unless it was copied from another key pair. */
export function keyPairMark(keyPair: JsonObject): OwnerMark | undefined {
  const said = COMMENT_MARK.exec(textAt(keyPair, "public_key") ?? "");
  if (said === null || said[2] !== textAt(keyPair, "name")) return undefined;
  return { owner: said[1] ?? "", key: said[2] ?? "" };
}

/** A public key as its owner wrote it. */
export function withoutMark(publicKey: string): string {
  return publicKey.replace(COMMENT_MARK, "").trim();
}

function tagsOf(object: JsonObject): string[] {
  return texts(object.tags) ?? [];
}

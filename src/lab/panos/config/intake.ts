import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { TreeNode } from "../../../core/tree/node.js";
import { isDeviceSecret } from "../../../core/tree/stored-secrets.js";
import { type Place, placeBelow } from "../tree/place.js";
import { DEVICE_MARKS } from "../tree/stamp.js";

/** Characters of a SHA-1 digest in Base64. */
const DIGEST_LENGTH = 28;

/** Converts XML from a client into the stored form: removes device marks and encrypts secrets. The input is not changed. */
export function intake(node: TreeNode, parent: Place, masterKey: string): TreeNode {
  const place = placeBelow(parent, node);
  const attributes = kept(node.attributes);
  if (node.children.length === 0) {
    const secret = place.spot.isEncrypted && node.text !== "" && !isDeviceSecret(node.text);
    const text = secret ? stored(node.tag, node.text, masterKey) : node.text;
    return text === node.text && attributes === node.attributes ? node : new TreeNode(node.tag, node.name, text, undefined, attributes);
  }
  const children = node.children.map((child) => intake(child, place, masterKey));
  const same = attributes === node.attributes && children.every((child, index) => child === node.children[index]);
  return same ? node : new TreeNode(node.tag, node.name, "", children, attributes);
}

function kept(attributes: ReadonlyMap<string, string> | undefined): ReadonlyMap<string, string> | undefined {
  if (attributes === undefined || ![...attributes.keys()].some((key) => DEVICE_MARKS.has(key))) return attributes;
  const rest = [...attributes].filter(([key]) => !DEVICE_MARKS.has(key));
  return rest.length === 0 ? undefined : new Map(rest);
}

/** Returns a password hash, or ciphertext under the device's master key. On one device, the same text gives the same result. */
export function stored(tag: string, text: string, masterKey: string): string {
  const key = createHash("sha256").update(masterKey).digest();
  if (tag === "phash")
    return `$5$${createHash("md5").update(key).digest("hex").slice(0, 8)}$${createHash("sha256").update(key).update(text).digest("base64url")}`;
  const cipher = createCipheriv("aes-256-cbc", key, Buffer.alloc(16));
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]).toString("base64");
  return `-AQ==${createHash("sha1").update(key).update(text).digest("base64")}${encrypted}`;
}

/** Returns the text of ciphertext that `stored` made on a device with this master key. */
export function reveal(text: string, masterKey: string): string {
  const key = createHash("sha256").update(masterKey).digest();
  const decipher = createDecipheriv("aes-256-cbc", key, Buffer.alloc(16));
  const encrypted = Buffer.from(text.slice("-AQ==".length + DIGEST_LENGTH), "base64");
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString("utf8");
}

import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/** How a repository names its objects. */
export type ObjectFormat = "sha1" | "sha256";

/** Detects the hash by the length of an id. */
export function objectFormatOf(id: string): ObjectFormat {
  return id.length === 64 ? "sha256" : "sha1";
}

/** A commit of one file. */
export interface OneFile {
  /** Without folders. */
  readonly name: string;
  readonly text: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

const WHO = "plumbline <plumbline@localhost>";

/** Numbers of the types in a pack. */
const TYPES = { commit: 1, tree: 2, blob: 3 } as const;

/**
 * Builds a pack with a commit, its tree and its file, for `git unpack-objects`. Returns it with the id of the commit. Git computes the ids
 * itself while unpacking, so a wrong id refers to no object.
 */
export function commitPack(
  { name, text, parents, message, time }: OneFile,
  format: ObjectFormat,
): { readonly id: string; readonly pack: Buffer } {
  const digest = (...parts: readonly Uint8Array[]): Buffer => {
    const hash = createHash(format);
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  const packed: Buffer[] = [];
  const add = (type: keyof typeof TYPES, content: Buffer): Buffer => {
    // Not compressed: git compresses the objects while unpacking.
    packed.push(header(TYPES[type], content.length), deflateSync(content, { level: 0 }));
    return digest(Buffer.from(`${type} ${content.length}\0`), content);
  };
  const file = add("blob", Buffer.from(text));
  const tree = add("tree", Buffer.concat([Buffer.from(`100644 ${name}\0`), file]));
  const by = `${WHO} ${Math.floor(time / 1000)} +0000`;
  const rows = [`tree ${tree.toString("hex")}`, ...parents.map((parent) => `parent ${parent}`), `author ${by}`, `committer ${by}`];
  const id = add("commit", Buffer.from(`${rows.join("\n")}\n\n${message}\n`));
  const whole = Buffer.concat([start(3), ...packed]);
  return { id: id.toString("hex"), pack: Buffer.concat([whole, digest(whole)]) };
}

/** Of a pack of version 2 with so many objects. */
function start(count: number): Buffer {
  const bytes = Buffer.from("PACK\0\0\0\0\0\0\0\0");
  bytes.writeUInt32BE(2, 4);
  bytes.writeUInt32BE(count, 8);
  return bytes;
}

/**
 * Type and length of an object: four bits of the length, then seven bits per byte, lowest first. The top bit marks that more bytes follow.
 */
function header(type: number, length: number): Buffer {
  const bytes = [(type << 4) | (length & 15)];
  for (let rest = Math.floor(length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80;
    bytes.push(rest & 0x7f);
  }
  return Buffer.from(bytes);
}

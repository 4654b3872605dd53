import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/** How a repository names its objects. */
export type ObjectFormat = "sha1" | "sha256";

/** Ids are as long as their digests: what made one is told by any id of the repository. */
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
 * A pack of a commit, its tree and its file, for `git unpack-objects`, and the id of the commit. Git names what it unpacks itself: an id that is
 * wrong here leads to nothing there.
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
    // Git compresses what it unpacks, in a process of its own.
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

/** Type and length of an object: four bits of the length, then seven a byte, the lowest first; the top bit says that more follow. */
function header(type: number, length: number): Buffer {
  const bytes = [(type << 4) | (length & 15)];
  for (let rest = Math.floor(length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80;
    bytes.push(rest & 0x7f);
  }
  return Buffer.from(bytes);
}

import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { badRequest, conflict, itemNotFound } from "./errors.js";

export interface KeyPair {
  readonly id: number;
  readonly name: string;
  readonly userId: string;
  readonly publicKey: string;
  /** MD5 of the key as hexadecimal pairs. */
  readonly fingerprint: string;
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** Key pairs by user: of different users they never meet. Private keys are given out once and not kept. */
export class KeyPairs {
  readonly #pairs = new Map<string, Map<string, KeyPair>>();
  #count = 0;

  of(userId: string): KeyPair[] {
    return [...(this.#pairs.get(userId)?.values() ?? [])];
  }

  find(userId: string, name: string): KeyPair | undefined {
    return this.#pairs.get(userId)?.get(name);
  }

  get(userId: string, name: string): KeyPair {
    const pair = this.find(userId, name);
    if (pair === undefined) throw itemNotFound(`Keypair ${name} not found for user ${userId}`);
    return pair;
  }

  /** Imports a public key, or makes a new pair and returns its private half. */
  create(
    userId: string,
    name: string,
    publicKey: string | undefined,
    now: number,
    type = "ssh",
  ): { pair: KeyPair; privateKey: string | undefined } {
    if (this.find(userId, name) !== undefined) throw conflict(`Key pair '${name}' already exists.`);
    const made = publicKey === undefined ? generate() : undefined;
    const key = publicKey ?? made?.publicKey ?? "";
    this.#count++;
    const pair: KeyPair = { id: this.#count, name, userId, publicKey: key, fingerprint: fingerprint(key), type, created: now };
    const own = this.#pairs.get(userId) ?? new Map<string, KeyPair>();
    this.#pairs.set(userId, own.set(name, pair));
    return { pair, privateKey: made?.privateKey };
  }

  delete(userId: string, name: string): void {
    this.get(userId, name);
    this.#pairs.get(userId)?.delete(name);
  }
}

function fingerprint(publicKey: string): string {
  const [type = "", body = ""] = publicKey.trim().split(/\s+/);
  const bytes = Buffer.from(body, "base64");
  // The first field of the body repeats the type.
  const named = bytes.length > 4 ? bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString("latin1") : undefined;
  if (named === undefined || named !== type) throw badRequest("Keypair data is invalid: failed to generate fingerprint");
  return (createHash("md5").update(bytes).digest("hex").match(/../g) ?? []).join(":");
}

function generate(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    publicKey: `${openSsh(publicKey)} Generated-by-Nova`,
    privateKey: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
  };
}

function openSsh(key: KeyObject): string {
  const { e = "", n = "" } = key.export({ format: "jwk" });
  const fields = [Buffer.from("ssh-rsa"), positive(Buffer.from(e, "base64url")), positive(Buffer.from(n, "base64url"))];
  const body = Buffer.concat(fields.flatMap((field) => [lengthOf(field), field]));
  return `ssh-rsa ${body.toString("base64")}`;
}

function positive(number: Buffer): Buffer {
  return (number[0] ?? 0) > 127 ? Buffer.concat([Buffer.alloc(1), number]) : number;
}

function lengthOf(field: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(field.length);
  return bytes;
}

import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { SecretValue } from "../../../core/secret.js";

const BITS = 3072;

/** Creates an RSA key pair: the private key as PEM, the public key as a line of `authorized_keys` without a comment. */
export async function makeKeyPair(): Promise<{ readonly publicKey: string; readonly privateKey: SecretValue }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: BITS });
  const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  return { publicKey: openSsh(publicKey), privateKey: new SecretValue(pem, "«private_key»") };
}

/** RFC 4253, 6.6: `ssh-rsa`, exponent and modulus, each preceded by its length. */
function openSsh(key: KeyObject): string {
  const { e = "", n = "" } = key.export({ format: "jwk" });
  const fields = [Buffer.from("ssh-rsa"), positive(Buffer.from(e, "base64url")), positive(Buffer.from(n, "base64url"))];
  return `ssh-rsa ${Buffer.concat(fields.flatMap((field) => [lengthOf(field), field])).toString("base64")}`;
}

/** Numbers are signed, so a number with the first bit set gets a leading zero. */
function positive(number: Buffer): Buffer {
  return (number[0] ?? 0) > 127 ? Buffer.concat([Buffer.alloc(1), number]) : number;
}

function lengthOf(field: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(field.length);
  return bytes;
}

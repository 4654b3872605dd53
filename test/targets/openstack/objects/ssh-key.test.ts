import { createPrivateKey, createPublicKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { makeKeyPair } from "../../../../src/targets/openstack/objects/ssh-key.js";

/** The length-prefixed fields of a public key. */
function fieldsOf(publicKey: string): Buffer[] {
  const bytes = Buffer.from(publicKey.split(" ")[1] ?? "", "base64");
  const fields: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

describe("a generated key pair", () => {
  it("is valid: the public half belongs to the private one, in the notation of OpenSSH", async () => {
    const { publicKey, privateKey } = await makeKeyPair();
    const [type, exponent, modulus, ...rest] = fieldsOf(publicKey);
    expect([type?.toString(), rest.length]).toEqual(["ssh-rsa", 0]);
    const jwk = createPublicKey(createPrivateKey(privateKey.reveal())).export({ format: "jwk" });
    expect(exponent?.toString("base64url")).toBe(jwk.e);
    expect(modulus?.[0]).toBe(0);
    expect(modulus?.subarray(1).toString("base64url")).toBe(jwk.n);
    expect(String(privateKey)).toBe("«private_key»");
  });
});

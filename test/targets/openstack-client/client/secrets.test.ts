import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hideSecrets } from "../../../../src/core/hide-secrets.js";
import { SecretValue } from "../../../../src/core/secret.js";
import type { Body } from "../../../../src/targets/openstack-client/client/request.js";
import { encodeBody, extractSecrets } from "../../../../src/targets/openstack-client/client/secrets.js";

describe("bodies", () => {
  it("are JSON as any other", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(encodeBody(value as Body).text).toBe(JSON.stringify(value));
      }),
    );
  });

  it("contain secrets only on the wire, omit undefined fields, and keep large integers", () => {
    const secret = new SecretValue('p"w', "«password»");
    const { text, secrets } = encodeBody({ a: [secret, 2n ** 63n], b: undefined, c: { d: null } });
    expect(text).toBe('{"a":["p\\"w",9223372036854775808],"c":{"d":null}}');
    expect(secrets).toEqual([secret]);
  });
});

describe("texts", () => {
  it("show no sent secret, plain or in JSON notation", () => {
    const secrets = fc.string({ minLength: 3 }).filter((text) => !/[«»]/.test(text) && !'{"value":"secret"}'.includes(text));
    fc.assert(
      fc.property(fc.string(), secrets, fc.string(), (before, value, after) => {
        fc.pre(!`${before}«secret»${after}`.includes(value));
        const secret = new SecretValue(value, "«secret»");
        expect(hideSecrets(`${before}${value}${after}`, [secret])).not.toContain(value);
        expect(hideSecrets(JSON.stringify({ value }), [secret])).toBe('{"value":"«secret»"}');
      }),
    );
  });

  it("are unchanged if a secret is empty", () => {
    expect(hideSecrets("words", [new SecretValue("", "«none»")])).toBe("words");
  });
});

describe("replies", () => {
  it("contain secrets by field, at any place, and keep the label", () => {
    const { body, secrets } = extractSecrets({
      server: { id: "1", adminPass: "a" },
      list: [{ keypair: { private_key: "k", name: "n" } }],
      adminPass: 1,
    });
    expect(body).toEqual({
      server: { id: "1", adminPass: "«adminPass»" },
      list: [{ keypair: { private_key: "«private_key»", name: "n" } }],
      adminPass: 1,
    });
    expect([...secrets].map(([field, secret]) => [field, secret.reveal()])).toEqual([
      ["adminPass", "a"],
      ["private_key", "k"],
    ]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactUrls } from "../../src/core/redact-urls.js";

describe("URLs in text", () => {
  it.each([
    ["https://TOKEN@host/net.git", "https://host/net.git"],
    ["https://ann:hunter2@host:8443/net.git", "https://host:8443/net.git"],
    ["https://ann:hun@ter2@host/net.git", "https://host/net.git"],
    ["https://ann:hun/ter2@host/net.git", "https://host/net.git"],
    ["https://ann:hun?ter#2@host/net.git", "https://host/net.git"],
    ["ssh://git:pw@host/x", "ssh://host/x"],
    ["HTTPS://h/x?private_token=abc&ref=main", "HTTPS://h/x?private_token=***&ref=main"],
    ["https://h/x?a=1;Access%5FToken=abc", "https://h/x?a=1;Access%5FToken=***"],
    ["https://h/api/?type=op&key=LUFRPT", "https://h/api/?type=op&key=***"],
    ["https://h/x?X-Amz-Signature=abc&X-Amz-Date=1", "https://h/x?X-Amz-Signature=***&X-Amz-Date=1"],
    ["https://h/x#access_token=abc", "https://h/x#***"],
    ["https://h/x?token=abc#frag", "https://h/x?token=***#***"],
    [
      "fatal: unable to access 'https://u:p@h/n.git/': 403, then ssh://git@o/x",
      "fatal: unable to access 'https://h/n.git/': 403, then ssh://o/x",
    ],
    ["'https://h/x?token=abc': no", "'https://h/x?token=***': no"],
    ["https://u:p@[2001:db8::1]:443/x", "https://[2001:db8::1]:443/x"],
  ])("%s becomes %s", (text, shown) => {
    expect(redactUrls(text)).toBe(shown);
  });

  it.each([
    "https://host:8443/a/b@v1?ref=main&page=2",
    "https://[2001:db8::1]/a@b",
    "https://code.example/net/pull/5#issuecomment-12",
    "https://code.example/net/blob/main/a.yaml#L3-L9",
    "http://json-schema.org/draft-07/schema#",
    "git@host:net.git",
    "ann@example.com wrote it",
    "no URL: //a@b",
  ])("%s stays", (text) => {
    expect(redactUrls(text)).toBe(text);
  });

  it("are redacted inside JSON, which stays valid JSON", () => {
    const word = fc.stringMatching(/^[A-Za-z0-9]{8,16}$/);
    const around = fc.string();
    fc.assert(
      fc.property(around, word, word, word, around, (before, user, token, fragment, after) => {
        const url = `https://me:X${user}@host/a?x=1&private_token=Y${token}#Z${fragment}`;
        const value = { a: `${before} ${url}`, b: [`"${url}"`, `${url}\n${after}`, after] };
        const text = redactUrls(JSON.stringify(value));
        for (const secret of [`X${user}`, `Y${token}`, `Z${fragment}`]) {
          if (!before.includes(secret) && !after.includes(secret)) expect(text).not.toContain(secret);
        }
        expect(JSON.parse(text)).toMatchObject({
          b: [expect.stringContaining("https://host/a?x=1"), expect.anything(), expect.anything()],
        });
      }),
    );
  });

  it("are redacted in linear time", () => {
    const text = "a.a://".repeat(200_000) + "x@y".repeat(100_000);
    const start = performance.now();
    redactUrls(text);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

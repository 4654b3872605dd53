import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { meaningOf } from "../../src/outcome/verdict-meaning.js";
import { failure } from "../targets/panos/fixtures.js";
import { go, hashes, md5, sha256, world } from "./support.js";

const HOUR = 3600 * 1000;
const MALICIOUS = "plumbline lab: malicious";
const BENIGN = "plumbline lab: benign";

/** All files below a folder, as one text. */
function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "utf8")}`)
    .join("\n");
}

describe("verdicts", () => {
  it("for 1,200 hashes with 100 duplicates need 3 requests of at most 500, and none the second time", async () => {
    const { open, asked, lab } = await world();
    const distinct = hashes(1_100);
    const wanted = [...distinct, ...distinct.slice(0, 100)];
    const first = await (await open()).lookUp(wanted, go);
    expect(first.requests).toBe(3);
    expect([...first.verdicts.keys()]).toEqual(distinct);
    expect(lab.state.journal.map(({ entries }) => entries)).toEqual([500, 500, 100]);
    const second = await (await open()).lookUp(wanted, go);
    expect([second.requests, asked()]).toEqual([0, 3]);
    expect([...second.verdicts.values()].map(({ verdict }) => verdict)).toEqual([...first.verdicts.values()].map(({ verdict }) => verdict));
    expect([...second.verdicts.values()].every(({ source }) => source === "cache")).toBe(true);
  });

  it.each(["analysis", "wildfire"] as const)("are read under the root %s, by MD5 and SHA-256 mixed", async (root) => {
    const { open } = await world({ root });
    const wanted = [md5(MALICIOUS), sha256(BENIGN), md5("nobody knows this")];
    const { verdicts } = await (await open()).lookUp(wanted, go);
    expect([...verdicts.values()].map(({ verdict }) => verdict)).toEqual([1, 0, -102]);
  });

  it("that the reply omits are unknown, not benign", async () => {
    const { open } = await world({ unknown: "absent" });
    const { verdicts } = await (await open()).lookUp([md5("nobody knows this"), sha256(BENIGN)], go);
    expect([...verdicts.values()].map(({ verdict }) => verdict)).toEqual([undefined, 0]);
  });

  it("have all documented values", async () => {
    const { open } = await world();
    const words = ["benign", "malicious", "grayware", "phishing", "command-and-control", "pending", "error", "unknown"];
    const { verdicts } = await (await open()).lookUp(
      words.map((word) => sha256(`plumbline lab: ${word}`)),
      go,
    );
    expect([...verdicts.values()].map(({ verdict }) => meaningOf(verdict).word)).toEqual(words);
    const standings = [...verdicts.values()].map(({ verdict }) => meaningOf(verdict).standing);
    expect(standings).toEqual(["good", "bad", "bad", "bad", "bad", "open", "open", "open"]);
    expect([...verdicts.values()].at(-1)?.verdict).toBe(-102);
  });

  it("for one MD5 of two files are the worse one", async () => {
    const shared = { md5: md5("shared"), verdict: 0, sha256: sha256("one") };
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const known = order.map((verdict, i) => ({ ...shared, sha256: sha256(`file ${i}`), verdict }));
      const { open } = await world({ hashes: known });
      expect((await (await open()).lookUp([shared.md5], go)).verdicts.get(shared.md5)?.verdict).toBe(1);
    }
  });

  it("are cached for long if final, and for an hour otherwise", async () => {
    const { open, asked, clock, lab } = await world();
    const unknown = sha256("comes up later");
    const wanted = [md5(MALICIOUS), md5(BENIGN), unknown];
    await (await open()).lookUp(wanted, go);
    clock.advance(2 * HOUR);
    lab.state.files.add({ sha256: unknown, md5: md5("comes up later"), verdict: 1 }, clock.now());
    const later = await (await open()).lookUp(wanted, go);
    expect([later.verdicts.get(unknown)?.verdict, asked()]).toEqual([1, 2]);
    expect(lab.state.journal.at(-1)?.entries).toBe(1);
    clock.advance(8 * 24 * HOUR);
    await (await open()).lookUp(wanted, go);
    expect(lab.state.journal.at(-1)?.entries).toBe(1);
    clock.advance(30 * 24 * HOUR);
    await (await open()).lookUp(wanted, go);
    expect(lab.state.journal.at(-1)?.entries).toBe(3);
  });

  it("survive damaged and invented lines of the cache", async () => {
    const { open, stateFolder, asked } = await world();
    await (await open()).lookUp([md5(BENIGN)], go);
    const folder = join(stateFolder, "verdict", readdirSync(join(stateFolder, "verdict"))[0] ?? "");
    const file = join(folder, "verdicts.jsonl");
    appendFileSync(file, `{"hash":"${md5("a")}","verdict":"0","asked":1}\n{"hash":"zz","verdict":0,"asked":1}\n{"hash":"${md5("b")}","ver`);
    const found = await (await open()).lookUp([md5(BENIGN), md5("a"), md5("b")], go);
    expect([...found.verdicts.values()].map(({ verdict }) => verdict)).toEqual([0, -102, -102]);
    expect(asked()).toBe(2);
    writeFileSync(file, `{"hash":"${md5("c")}","verdict":0,"asked":${Date.UTC(2030, 0)}}\n`);
    expect((await (await open()).lookUp([md5("c")], go)).verdicts.get(md5("c"))?.source).toBe("service");
  });

  it("stop between two requests, and keep the received ones", async () => {
    const { open, asked } = await world();
    const controller = new AbortController();
    const verdicts = await open();
    const progress = (done: number): void => (done > 0 ? controller.abort() : undefined);
    expect((await failure(verdicts.lookUp(hashes(1_100), { stop: controller.signal, progress }))).code).toBe("interrupted");
    expect(asked()).toBe(1);
    expect((await (await open()).lookUp(hashes(500), go)).requests).toBe(0);
  });
});

describe("the daily allotment", () => {
  it("counts a request of 500 hashes once, across runs, and shows the rest", async () => {
    const { open } = await world();
    const verdicts = await open({ allotment: 5 });
    await verdicts.lookUp(hashes(501), go);
    expect(await verdicts.left()).toBe(3);
    expect(await (await open({ allotment: 5 })).left()).toBe(3);
  });

  it("is checked before a request is sent, and the error names the reset time", async () => {
    const { open, asked } = await world();
    const verdicts = await open({ allotment: 2 });
    const error = await failure(verdicts.lookUp(hashes(1_001), go));
    expect(error.code).toBe("verdict-allotment-spent");
    expect(error.message).toContain("3 queries are needed and 2 of 2 are left");
    expect(error.next).toContain("2026-01-05 23:59 UTC");
    expect(asked()).toBe(0);
    expect((await verdicts.lookUp(hashes(1_000), go)).requests).toBe(2);
  });

  it("is reset at 23:59 UTC, not before and not at midnight", async () => {
    const { open, clock } = await world();
    const verdicts = await open({ allotment: 1 });
    await verdicts.lookUp([md5("a")], go);
    clock.advance(15 * HOUR + 59 * 60_000 - 1);
    expect(await verdicts.left()).toBe(0);
    clock.advance(1);
    expect(await verdicts.left()).toBe(1);
    await verdicts.lookUp([md5("b")], go);
    clock.advance(2 * HOUR);
    expect(await verdicts.left()).toBe(0);
  });

  it("follows the service: after 419 no request is sent until the reset", async () => {
    const { open, asked, clock } = await world({ allotment: 1 });
    const verdicts = await open();
    await verdicts.lookUp([md5("a")], go);
    expect((await failure(verdicts.lookUp([md5("b")], go))).code).toBe("verdict-allotment-spent");
    expect((await failure((await open()).lookUp([md5("b")], go))).code).toBe("verdict-allotment-spent");
    expect(asked()).toBe(2);
    clock.advance(24 * HOUR);
    expect((await (await open()).lookUp([md5("b")], go)).requests).toBe(1);
  });

  it("belongs to one key", async () => {
    const { open, service } = await world({ keys: ["lab-verdict-key", "other"] });
    await (await open({ allotment: 1 })).lookUp([md5("a")], go);
    const { SecretValue } = await import("../../src/core/secret.js");
    expect(await (await open({ allotment: 1, key: new SecretValue("other", "«other»") })).left()).toBe(1);
    expect(await (await open({ allotment: 1, key: service.key })).left()).toBe(0);
  });
});

describe("errors of the service", () => {
  it.each([
    [401, "verdict-key-refused"],
    [403, "verdict-forbidden"],
    [404, "verdict-service-not-there"],
    [405, "verdict-service-not-there"],
    [413, "verdict-request-refused"],
    [418, "verdict-request-refused"],
    [419, "verdict-allotment-spent"],
    [420, "verdict-request-refused"],
    [421, "verdict-request-refused"],
    [422, "verdict-request-refused"],
    [302, "verdict-http-status"],
  ])("%i is %s, asked once", async (status, code) => {
    const { open, lab, asked } = await world();
    lab.state.faults.add({ kind: "status", status });
    expect((await failure((await open()).lookUp([md5("a")], go))).code).toBe(code);
    expect(asked()).toBe(1);
  });

  it.each([500, 513, 503, 429])("%i is retried, or fails after three attempts", async (status) => {
    const { open, lab, asked, slept } = await world();
    lab.state.faults.add({ kind: "status", status, times: 2 });
    expect((await (await open()).lookUp([md5("a")], go)).verdicts.size).toBe(1);
    expect([asked(), slept.length]).toEqual([3, 2]);
    lab.state.faults.add({ kind: "status", status, times: 3 });
    expect((await failure((await open()).lookUp([md5("b")], go))).code).toBe("verdict-service-failed");
    expect(await (await open()).left()).toBe(1_044);
  });

  it.each([
    ["half", "verdict-reply-broken", 1],
    ["html", "verdict-reply-not-understood", 1],
    ["drop", "verdict-service-unavailable", 3],
  ] as const)("%s is %s: nothing is believed or remembered", async (kind, code, tries) => {
    const { open, lab } = await world();
    lab.state.faults.add({ kind, times: tries });
    expect((await failure((await open()).lookUp([md5(BENIGN)], go))).code).toBe(code);
    expect(await (await open()).left()).toBe(1_050 - tries);
    expect((await (await open()).lookUp([md5(BENIGN)], go)).requests).toBe(1);
  });

  it("before a connection cost nothing", async () => {
    const { open, lab } = await world();
    await lab.close();
    const verdicts = await open();
    expect((await failure(verdicts.lookUp([md5("a")], go))).code).toBe("verdict-service-unavailable");
    expect(await verdicts.left()).toBe(1_050);
  });

  it("never put the key into errors, logs or the state folder", async () => {
    const { open, lab, logged, stateFolder } = await world();
    lab.state.faults.add({ kind: "status", status: 401, message: "key lab-verdict-key is revoked" });
    const error = await failure((await open()).lookUp([md5("a")], go));
    expect(error.message).toContain("key «key» is revoked");
    await (await open()).lookUp([md5("a")], go);
    expect(`${error.message} ${logged.join()} ${everything(stateFolder)}`).not.toContain("lab-verdict-key");
  });

  it("for an untrusted certificate occur before the key is sent; a configured authority or pin is accepted", async () => {
    const { open, lab, asked, stateFolder } = await world();
    const { url } = lab;
    const refused = await failure((await open({ url })).lookUp([md5("a")], go));
    expect([refused.code, asked()]).toEqual(["tls-untrusted", 0]);
    expect(refused.next).toContain("--ca");
    const ca = join(stateFolder, "ca.pem");
    writeFileSync(ca, lab.caPem);
    expect((await (await open({ url, tls: { ca, insecure: false } })).lookUp([md5("a")], go)).requests).toBe(1);
    const missing = await failure((await open({ url, tls: { ca: "nowhere.pem", insecure: false } })).lookUp([md5("z")], go));
    expect(missing.code).toBe("tls-ca-unreadable");
    const pinned = await failure((await open({ url, tls: { pin: `sha256:${"0".repeat(64)}`, insecure: false } })).lookUp([md5("z")], go));
    expect(pinned.code).toBe("tls-pin-mismatch");
  });

  it("do not depend on /publicapi at the end of the address", async () => {
    const { open, service } = await world();
    for (const [at, url] of [`${service.url}/`, `${service.url}/publicapi`, `${service.url}/publicapi/`].entries())
      expect((await (await open({ url })).lookUp([md5(`file ${at}`)], go)).requests).toBe(1);
  });
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../../src/agent/store/open.js";
import type { Store } from "../../../src/agent/store/store.js";
import { runCli } from "../../../src/cli/program.js";
import { drifted, end, MINUTE, start, T0 } from "../../agent/store/passes.js";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-history-"));
  store = await openStore({ kind: "sqlite", file: join(folder, "state/plumbline.db") }, { readOnly: false });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function run(...words: string[]) {
  let out = "";
  let err = "";
  const code = await runCli(["history", ...words], {
    environment: { HOME: folder, PLUMBLINE_STATE_DIR: join(folder, "state") },
    folder,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    now: () => new Date(T0 + 60 * MINUTE),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

async function twoPasses(): Promise<void> {
  const view = { kind: "differs", before: "<ip-netmask>10.0.0.1</ip-netmask>", after: "<ip-netmask>10.0.0.2</ip-netmask>" };
  const drift = { items: [{ ...drifted("web"), view }] };
  await store.passes.record(start("edge"), end(T0 + 900, { outcome: "pending", drift }));
  await store.passes.record(start("edge", T0 + 10 * MINUTE), end(T0 + 10 * MINUTE + 1500, { outcome: "pending", drift }));
  await store.passes.record(start("core", T0 + 11 * MINUTE), end(T0 + 11 * MINUTE + 100));
}

describe("plumbline history", () => {
  it("reads a store that an agent has open, and aligns its output", async () => {
    await twoPasses();
    const claim = await store.claim({ host: "noc-1", pid: 1, started: T0, version: "1" }, T0);
    const { code, out, err } = await run();
    await claim.release();
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "2026-11-20 08:11:00Z  core  pass   in-sync         drift pass, by timer: in sync  0.1 s",
        "2026-11-20 08:10:00Z  edge  pass   pending         drift pass, by timer: changes are pending  1.5 s",
        "2026-11-20 08:00:00Z  edge  drift  differs  alice  /config/shared/address/entry[@name='web']  open for 59 m 59 s, last seen 49 m 58 s ago, changed at 2026/11/20 07:59:00",
        "    - <ip-netmask>10.0.0.1</ip-netmask>",
        "    + <ip-netmask>10.0.0.2</ip-netmask>",
        "2026-11-20 08:00:00Z  edge  pass   pending         drift pass, by timer: changes are pending  0.9 s",
        "",
      ].join("\n"),
    );
  });

  it("filters by target, time, path, author, kind and limit", async () => {
    await twoPasses();
    const ids = async (...words: string[]) => {
      const { out, err } = await run("--format", "json", ...words);
      expect(err).toBe("");
      return (JSON.parse(out) as { entries: { id: number }[] }).entries.map(({ id }) => id);
    };
    const [core, later, drift, first] = (await ids()) as [number, number, number, number];
    expect(await ids("core")).toEqual([core]);
    expect(await ids("--kind", "drift")).toEqual([drift]);
    expect(await ids("--kind", "drift", "--kind", "pass", "edge")).toEqual([later, drift, first]);
    expect(await ids("--since", "50m")).toEqual([core, later]);
    expect(await ids("--until", "2026-11-20 08:05")).toEqual([drift, first]);
    expect(await ids("--path", '/config/shared/address/entry[@name="web"]')).toEqual([drift]);
    expect(await ids("--author", "alice")).toEqual([drift]);
    expect(await ids("--author", "bob")).toEqual([]);
    expect(await ids("--limit", "1")).toEqual([core]);
  });

  it("shows the events of its own repository, and reports that others exist", async () => {
    const location = { kind: "sqlite", file: join(folder, "state/plumbline.db") } as const;
    await twoPasses();
    for (const [repository, target] of [
      ["git.example/net/fleet", "here"],
      ["git.example/net/other", "there"],
    ] as const) {
      const own = await openStore(location, { readOnly: false, repository });
      await own.passes.record(start(target, T0 + 20 * MINUTE), end(T0 + 20 * MINUTE, { drift: { items: [drifted("web")] } }));
      await own.passes.finish(await own.passes.start(start(target, T0 + 21 * MINUTE)), end(T0 + 21 * MINUTE));
      await own.history.note({ kind: "alarm", at: T0, target, summary: "noted" });
      await own.holds.hold({ target, commit: "c0ffee", attempts: 1, nextTry: undefined, reason: "failed", at: T0 });
      await own.pauses.pause({ target, reason: "work", by: "bob", since: T0, until: undefined });
      await own.pauses.resume(target, "bob", T0);
      await own.approvals.approve({ target, digest: "d1", by: "bob", at: T0, source: undefined });
      await own.sources.accept({ source: target, commit: "c0ffee", at: T0 });
      await own.sources.refuse({ source: target, commit: "bad", author: undefined, code: "x", message: "bad", at: T0 });
      await own.close();
    }
    const git = (...words: string[]) => execFileSync("git", ["-C", folder, ...words], { stdio: "ignore" });
    git("init", "--quiet");
    git("remote", "add", "origin", "git@git.example:net/fleet.git");
    writeFileSync(
      join(folder, "plumbline.yaml"),
      "format: 1\nowner: netops\ndocuments: [docs]\ntargets:\n  edge: { kind: panos, url: https://192.0.2.1 }\n",
    );
    const seen = async (...words: string[]) => {
      const { out, err } = await run("--format", "json", ...words);
      expect(err).not.toContain("[");
      const { entries } = JSON.parse(out) as { entries: { target?: string; kind: string; repository?: string }[] };
      return { err, entries };
    };
    const own = await seen();
    expect(new Set(own.entries.map(({ repository }) => repository))).toEqual(new Set(["git.example/net/fleet", undefined]));
    expect(own.err).toContain("--all-repositories");
    const kinds = ["alarm", "approval", "commit", "drift", "hold", "pass", "pause", "resume"];
    expect([...new Set(own.entries.filter(({ repository }) => repository !== undefined).map(({ kind }) => kind))].sort()).toEqual(kinds);
    expect(own.entries.filter(({ repository }) => repository === undefined).map(({ target }) => target)).toEqual([
      "core",
      "edge",
      "edge",
      "edge",
    ]);
    const all = await seen("--all-repositories");
    expect(all.err).toBe("");
    expect(all.entries.filter(({ repository }) => repository === "git.example/net/other")).toHaveLength(
      own.entries.filter(({ repository }) => repository !== undefined).length,
    );
  });

  it("continues after a page", async () => {
    await twoPasses();
    const { out } = await run("--limit", "2");
    const cursor = /--cursor (\S+)/.exec(out)?.[1] ?? "";
    const { out: rest } = await run("--cursor", cursor);
    expect(rest.match(/^2026/gm)).toHaveLength(2);
  });

  it("omits skipped passes by default", async () => {
    await store.passes.record(start(), end(T0, { outcome: "skipped", reason: "nothing moved" }));
    expect((await run()).out).toBe("nothing in the history matches\n");
    for (const words of [["--all"], ["--kind", "skip"]]) expect((await run(...words)).out).toContain("skipped: nothing moved");
  });

  it("prints CSV with a heading", async () => {
    await twoPasses();
    const { out } = await run("--format", "csv", "core");
    expect(out).toBe(
      'id,at,ended,seen,kind,target,pass,path,author,outcome,summary\r\n4,2026-11-20T08:11:00.000Z,2026-11-20T08:11:00.100Z,,pass,core,,,,in-sync,"drift pass, by timer: in sync"\r\n',
    );
  });

  it("does not pass terminal control sequences of a device", async () => {
    const evil = "\u001b]0;owned\u0007";
    await store.passes.record(
      start(),
      end(T0, { drift: { items: [{ ...drifted("web", evil), authorTime: evil, view: { before: evil } }] } }),
    );
    await store.history.note({ kind: "alarm", at: T0, summary: evil, target: evil, outcome: evil, path: evil });
    const { out } = await run();
    expect(out).not.toContain("\u001b");
  });

  it("reports an empty result and invalid options", async () => {
    expect(await run()).toEqual({ code: 0, out: "nothing in the history matches\n", err: "" });
    expect((await run("--since", "yesterday")).err).toContain("[option-invalid]");
    expect((await run("--kind", "gossip")).code).toBe(1);
  });
});

it("history without an agent on this machine is no error", async () => {
  const empty = mkdtempSync(join(tmpdir(), "plumbline-history-none-"));
  const { code, err } = await run("--state", empty);
  rmSync(empty, { recursive: true });
  expect(code).toBe(1);
  expect(err).toContain("[store-missing]");
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import type { CodeHost } from "../../../src/pull-request/host.js";
import { HOST_KINDS } from "../../../src/pull-request/host-kinds.js";
import { openHost } from "../../../src/pull-request/open-host.js";
import { closeRequest, publish } from "../../../src/pull-request/propose/publish.js";
import { RecordingServer } from "../recording-server.js";

const BRANCH = "plumbline/drift/netops/edge-0";

describe.each(HOST_KINDS)("the request for the drift of a target, on %s", (kind) => {
  let server: RecordingServer;
  let folder: string;
  let host: CodeHost;
  let place: { readonly root: string; readonly remote: string; readonly branch: string; readonly base: string };
  let made = 0;

  beforeEach(async () => {
    server = await RecordingServer.start(kind);
    folder = mkdtempSync(join(tmpdir(), "plumbline-publish-"));
    const bare = join(folder, "bare");
    execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", bare]);
    execFileSync("git", ["clone", "-q", bare, join(folder, "clone")], { stdio: "ignore" });
    place = { root: join(folder, "clone"), remote: "origin", branch: BRANCH, base: "main" };
    const token = new SecretValue(server.token, "PLUMBLINE_TOKEN");
    host = openHost(
      { kind, api: server.api, repository: server.repository, token },
      { now: () => 0, sleep: async () => undefined, random: () => 0 },
    );
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const git = (...words: string[]) =>
    execFileSync("git", ["-C", place.root, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { encoding: "utf8" }).trim();
  const commit = (): string => {
    writeFileSync(join(place.root, "file"), String(made++));
    git("add", ".");
    git("commit", "-q", "-m", "proposal");
    return git("rev-parse", "HEAD");
  };
  const propose = async (digest: string) =>
    (await publish(host, { ...place, digest, title: "a drift", describe: (marker) => marker, make: async () => commit() })).done;
  const close = async () => (await closeRequest(host, place, { name: "drift-gone", body: "The configuration no longer differs." }))?.done;
  const tip = () => git("ls-remote", "origin", `refs/heads/${BRANCH}`).split(/\s/)[0];
  const states = () => server.pullRequests.map(({ state }) => state);

  it("is one: opened, kept, updated, and closed with a comment", async () => {
    expect([await close(), server.pullRequests]).toEqual([undefined, []]);
    expect([await propose("d1"), await propose("d1")]).toEqual(["proposed", "known"]);
    const first = tip();
    expect([await propose("d2"), await propose("d2")]).toEqual(["updated", "known"]);
    expect(tip()).not.toBe(first);
    expect(server.pullRequests).toMatchObject([{ branch: BRANCH, base: "main", state: "open" }]);
    expect(server.pullRequests[0]?.body).toContain(`plumbline:drift:d2 ${first} ${tip()} -->`);
    expect(await close()).toBe("closed");
    expect([states(), tip()]).toEqual([["closed"], ""]);
    expect(server.comments).toMatchObject([
      { pull: String(server.pullRequests[0]?.number), body: expect.stringContaining("no longer differs") },
    ]);
    expect(await close()).toBeUndefined();
    expect(await propose("d2")).toBe("proposed");
    expect(states()).toEqual(["closed", "open"]);
  });

  it("is not opened again after a person closed it, until the drift changes", async () => {
    await propose("d1");
    for (const pull of server.pullRequests) pull.state = "closed";
    expect([await propose("d1"), await close(), await propose("d2")]).toEqual(["known", undefined, "proposed"]);
    for (const pull of server.pullRequests) pull.state = "merged";
    expect(await propose("d2")).toBe("proposed");
  });

  it("keeps the commits of another author", async () => {
    await propose("d1");
    const theirs = commit();
    git("push", "-q", "origin", `+${theirs}:refs/heads/${BRANCH}`);
    expect([await propose("d2"), await close()]).toEqual(["edited", "edited"]);
    expect([tip(), states(), server.comments]).toEqual([theirs, ["open"], []]);
  });

  it("is completed after an interruption at each step", async () => {
    server.faults.push({ method: "POST", fault: { status: 403 } });
    await expect(propose("d1")).rejects.toMatchObject({ code: "code-host-forbidden" });
    expect(await propose("d1")).toBe("proposed");
    const broken = publish(host, {
      ...place,
      digest: "d2",
      title: "a drift",
      describe: (marker) => marker,
      make: async () => `${"0".repeat(39)}1`,
    });
    await expect(broken).rejects.toMatchObject({ code: "proposal-not-pushed" });
    expect([await propose("d2"), await propose("d2")]).toEqual(["updated", "known"]);
    server.faults.push({ method: kind === "gitlab" ? "PUT" : "PATCH", fault: { status: 403 } });
    await expect(close()).rejects.toMatchObject({ code: "code-host-forbidden" });
    expect(await close()).toBe("closed");
    expect(server.comments).toHaveLength(1);
  });

  it("is not a request from a fork, whose branch can have any name", async () => {
    const body = "<!-- plumbline:drift:d1 -->";
    server.pullRequests.push({ number: 9, branch: BRANCH, base: "main", title: "", body, fork: true, state: "closed" });
    expect([await close(), await propose("d1")]).toEqual([undefined, "proposed"]);
  });
});

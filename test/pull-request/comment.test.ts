import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiDependencies } from "../../src/pull-request/api.js";
import { keepComment } from "../../src/pull-request/comment.js";
import type { CodeHost } from "../../src/pull-request/host.js";
import { HOST_KINDS } from "../../src/pull-request/host-kinds.js";
import { openHost } from "../../src/pull-request/open-host.js";
import { hostSettings } from "../../src/pull-request/settings.js";
import { RecordingServer, US } from "./recording-server.js";

describe.each(HOST_KINDS)("a comment on %s", (kind) => {
  let server: RecordingServer;
  let host: CodeHost;
  let waits: number[];
  const now = Date.parse("2026-11-21T10:00:00Z");

  beforeEach(async () => {
    server = await RecordingServer.start(kind);
    waits = [];
    const dependencies: ApiDependencies = { now: () => now, sleep: async (time) => void waits.push(time), random: () => 0 };
    host = openHost(hostSettings({}, server.environment), dependencies);
  });
  afterEach(() => server.close());

  const keep = (body: string, name = "plan") => keepComment(host, { pullRequest: "42", name, body });
  const bodies = () => server.comments.map(({ body }) => body);

  it("is created, updated and kept", async () => {
    server.addComment("looks good");
    expect(await keep("one")).toMatchObject({ done: "created" });
    expect(await keep("one\n")).toMatchObject({ done: "unchanged" });
    expect(await keep("two\r\nlines")).toMatchObject({ done: "updated" });
    expect(bodies()).toEqual(["looks good", "<!-- plumbline:comment:plan -->\ntwo\nlines"]);
    expect(server.sent("POST")).toHaveLength(1);
    expect(server.sent(kind === "gitlab" ? "PUT" : "PATCH")).toHaveLength(1);
  });

  it("is found on all pages", async () => {
    for (let i = 0; i < 10; i++) server.addComment(`talk ${i}`);
    await keep("one");
    for (let i = 0; i < 10; i++) server.addComment(`more talk ${i}`);
    expect(await keep("two")).toMatchObject({ done: "updated" });
    expect(bodies().filter((body) => body.includes("plumbline:comment"))).toHaveLength(1);
  });

  it("is independent of comments with other names", async () => {
    await keep("a", "edge");
    await keep("b", "cloud");
    await keep("c", "edge");
    expect(bodies()).toEqual(["<!-- plumbline:comment:edge -->\nc", "<!-- plumbline:comment:cloud -->\nb"]);
  });

  it("is not a comment that another author wrote with the same marker, because they could change it later", async () => {
    server.addComment("<!-- plumbline:comment:plan -->\nno changes, trust me");
    expect(await keep("1 to delete")).toMatchObject({ done: "created" });
    expect(bodies()[0]).toContain("trust me");
    expect(await keep("2 to delete")).toMatchObject({ done: "updated" });
    expect(server.comments).toHaveLength(2);
  });

  it("is merged again after two jobs wrote in parallel", async () => {
    server.addComment("<!-- plumbline:comment:plan -->\nold", US);
    server.addComment("<!-- plumbline:comment:plan -->\nolder", US);
    expect(await keep("new")).toMatchObject({ done: "updated" });
    expect(bodies()).toEqual(["<!-- plumbline:comment:plan -->\nnew"]);
  });

  it("is not created twice after a lost reply", async () => {
    server.faults.push({ method: "POST", fault: "drop" });
    expect(await keep("one")).toMatchObject({ done: "created" });
    expect(bodies()).toEqual(["<!-- plumbline:comment:plan -->\none"]);
    expect(server.sent("POST")).toHaveLength(1);
  });

  it("waits as long as the host requests", async () => {
    server.faults.push(
      { method: "GET", fault: { status: 429, headers: { "retry-after": "7" } } },
      { method: "POST", fault: { status: 403, headers: { "retry-after": "60" } } },
    );
    expect(await keep("one")).toMatchObject({ done: "created" });
    expect(waits).toEqual([7_000, 60_000]);
  });

  it("waits for the end of a rate limit, and at most two minutes", async () => {
    const reset = (seconds: number) => ({
      status: 403,
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + seconds) },
    });
    server.faults.push({ method: "GET", fault: reset(30) });
    expect(await keep("one")).toMatchObject({ done: "created" });
    expect(waits).toEqual([30_000]);
    server.faults.push({ method: "GET", fault: reset(3_000) });
    await expect(keep("two")).rejects.toMatchObject({ code: "code-host-rate-limited" });
  });

  it("retries a failing host, but not indefinitely", async () => {
    server.faults.push({ method: "GET", fault: { status: 502 } }, { method: "GET", fault: "drop" });
    expect(await keep("one")).toMatchObject({ done: "created" });
    for (let i = 0; i < 4; i++) server.faults.push({ method: "GET", fault: { status: 503 } });
    await expect(keep("two")).rejects.toMatchObject({ code: "code-host-unavailable" });
  });

  it.each([
    [404, "code-host-not-found"],
    [422, "code-host-refused"],
    [400, "code-host-refused"],
    [301, "code-host-refused"],
  ])("says what %i means", async (status, code) => {
    server.faults.push({ method: "POST", fault: { status, body: { message: "because" } } });
    await expect(keep("one")).rejects.toMatchObject({
      code,
      message: expect.stringContaining(`${status}: because`),
      next: expect.any(String),
    });
  });

  it("reports a token without write permission, and never shows it", async () => {
    server.faults.push({ method: "POST", fault: { status: 403, body: { message: `no rights for ${server.token}` } } });
    const error = await keep("one").catch((cause: Error) => cause);
    expect(error).toMatchObject({ code: "code-host-forbidden" });
    expect(String((error as Error).message)).toContain("no rights for ${env:PLUMBLINE_TOKEN}");
    server.token = "another";
    await expect(keep("one")).rejects.toMatchObject({ code: "code-host-token-refused" });
  });

  it("refuses oversized content before it sends anything", async () => {
    await expect(keep("")).rejects.toMatchObject({ code: "comment-empty" });
    await expect(keep("x".repeat(host.maxLength))).rejects.toMatchObject({ code: "comment-too-long" });
    for (const name of ["", "a b", "-->", "a--b", "x".repeat(65)])
      await expect(keep("x", name)).rejects.toMatchObject({ code: "comment-name" });
    expect(server.requests).toEqual([]);
  });

  it("sends the token to no other host, whatever the next page is", async () => {
    server.faults.push({ method: "GET", fault: { status: 200, body: { id: US.id, login: US.login } } });
    server.faults.push({ method: "GET", fault: { status: 200, body: [], headers: { link: '<http://127.0.0.1:9/steal>; rel="next"' } } });
    await expect(keep("one")).rejects.toMatchObject({ code: "code-host-reply" });
  });

  it("recognises an HTML page as a wrong API address", async () => {
    server.faults.push({ method: "GET", fault: { status: 200, body: "<html>" } });
    await expect(keep("one")).rejects.toMatchObject({ code: "code-host-reply" });
  });
});

describe.each(["github", "gitea"] as const)("the token of a job on %s", (kind) => {
  it("works without permission to read its own identity, and considers only comments of jobs", async () => {
    const server = await RecordingServer.start(kind);
    try {
      server.maySayWho = false;
      server.addComment("<!-- plumbline:comment:plan -->\ntrust me");
      server.addComment("<!-- plumbline:comment:plan -->\nold", { id: -2, login: "actions", bot: true });
      const host = openHost(hostSettings({}, server.environment));
      expect(await keepComment(host, { pullRequest: "42", name: "plan", body: "new" })).toMatchObject({ done: "updated" });
      expect(server.comments.map(({ body }) => body.split("\n")[1])).toEqual(["trust me", "new"]);
    } finally {
      await server.close();
    }
  });
});

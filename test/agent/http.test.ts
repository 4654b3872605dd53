import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { Health } from "../../src/agent/health.js";
import { type AgentServer, serveAgent } from "../../src/agent/http.js";
import { MAX_WEBHOOK_BYTES, WebhookGate } from "../../src/agent/webhook.js";
import { PlumblineError } from "../../src/core/errors.js";
import { SecretValue } from "../../src/core/secret.js";
import { FakeClock } from "./fake-clock.js";

const SECRET = "s3cret";
let server: AgentServer;
let pushes = 0;
afterEach(async () => await server.close());

async function serve(health = new Health(new FakeClock()), withGate = true): Promise<void> {
  pushes = 0;
  server = await serveAgent({
    host: "127.0.0.1",
    port: 0,
    health,
    gate: withGate ? new WebhookGate(new SecretValue(SECRET, "${env:S}")) : undefined,
    onPush: () => void pushes++,
    pages: new Map([["/metrics", () => ({ type: "text/plain; version=0.0.4", text: "up 1\n" })]]),
  });
}

async function deliver(headers: Record<string, string>, body = '{"ref":"refs/heads/main"}'): Promise<number> {
  return (await fetch(`${server.url}/webhook`, { method: "POST", headers, body })).status;
}

function mac(body: string, secret = SECRET): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

describe("the webhook", () => {
  it.each([
    ["GitHub", (body: string) => ({ "x-hub-signature-256": `sha256=${mac(body)}` })],
    ["Gitea", (body: string) => ({ "x-gitea-signature": mac(body) })],
    ["GitLab", () => ({ "x-gitlab-token": SECRET, "x-gitlab-webhook-uuid": "1" })],
  ] as const)("takes what %s signed, once", async (_, headers) => {
    await serve();
    const body = '{"after":"abc"}';
    expect(await deliver(headers(body), body)).toBe(202);
    expect(pushes).toBe(1);
    expect(await deliver(headers(body), body)).toBe(409);
    expect(pushes).toBe(1);
  });

  it.each([
    ["GitHub", (body: string) => ({ "x-hub-signature-256": `sha256=${mac(body)}` })],
    ["Gitea", (body: string) => ({ "x-gitea-signature": mac(body) })],
    ["GitLab", () => ({ "x-gitlab-token": SECRET })],
  ] as const)("takes a delivery of %s once, whatever headers are added", async (_, headers) => {
    await serve();
    const body = '{"after":"abc"}';
    expect(await deliver(headers(body), body)).toBe(202);
    const numbers = ["x-gitlab-webhook-uuid", "x-gitlab-event-uuid", "idempotency-key", "x-github-delivery", "x-gitea-delivery"];
    for (const number of numbers) {
      expect(await deliver({ ...headers(body), [number]: "2" }, body), number).toBe(409);
      expect(await deliver({ "x-gitlab-token": "made up", ...headers(body), [number]: "3" }, body), number).toBe(409);
    }
    expect(pushes).toBe(1);
  });

  it("ignores a new delivery number for a known body", async () => {
    await serve();
    const body = '{"after":"abc"}';
    const signature = { "x-hub-signature-256": `sha256=${mac(body)}` };
    expect(await deliver({ ...signature, "x-github-delivery": "1" }, body)).toBe(202);
    expect(await deliver({ ...signature, "x-github-delivery": "2" }, body)).toBe(409);
  });

  it.each([
    ["nothing", {}],
    ["another secret", { "x-hub-signature-256": `sha256=${mac('{"ref":"refs/heads/main"}', "other")}` }],
    ["an empty signature", { "x-hub-signature-256": "sha256=" }],
    ["another body's signature", { "x-gitea-signature": mac("other") }],
    ["a wrong token", { "x-gitlab-token": "s3cre" }],
    ["a token where a signature is due", { "x-hub-signature-256": SECRET }],
  ])("refuses what is signed with %s", async (_, headers) => {
    await serve();
    expect(await deliver(headers as unknown as Record<string, string>)).toBe(401);
    expect(pushes).toBe(0);
  });

  it("refuses oversized deliveries, other methods, and everything without a secret", async () => {
    await serve();
    const large = "x".repeat(MAX_WEBHOOK_BYTES + 1);
    expect(await deliver({ "x-gitlab-token": SECRET }, large).catch(() => 413)).toBe(413);
    expect((await fetch(`${server.url}/webhook`)).status).toBe(405);
    await server.close();
    await serve(undefined, false);
    expect(await deliver({ "x-gitlab-token": "" })).toBe(404);
    expect(pushes).toBe(0);
  });
});

describe("health", () => {
  it("is ready with a commit and a writable store, and alive while the loop runs", async () => {
    const clock = new FakeClock();
    const health = new Health(clock);
    await serve(health);
    const status = async (path: string) => (await fetch(server.url + path)).status;
    expect(await status("/healthz")).toBe(200);
    expect(await status("/readyz")).toBe(503);
    health.listen({ type: "commit-in-force", commit: "c", previous: undefined, author: undefined, targets: [], time: 0 });
    expect(await status("/readyz")).toBe(200);
    health.listen({ type: "store-failed", error: new PlumblineError("store-full", "full"), time: 0 });
    expect(await (await fetch(`${server.url}/readyz`)).text()).toContain("store");
    health.listen({ type: "store-recovered", time: 0 });
    clock.advance(121_000);
    expect(await status("/healthz")).toBe(503);
    health.turn();
    expect(await status("/healthz")).toBe(200);
  });

  it("serves added routes, and nothing else", async () => {
    await serve();
    expect(await (await fetch(`${server.url}/metrics`)).text()).toBe("up 1\n");
    expect((await fetch(`${server.url}/etc/passwd`)).status).toBe(404);
    expect((await fetch(`${server.url}/healthz`, { method: "DELETE" })).status).toBe(405);
  });

  it("reports a port in use", async () => {
    await serve();
    const port = Number(new URL(server.url).port);
    const health = new Health(new FakeClock());
    const options = { host: "127.0.0.1", port, health, gate: undefined, onPush: () => undefined, pages: new Map() };
    await expect(serveAgent(options)).rejects.toMatchObject({ code: "agent-port-taken" });
  });
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { serveAgent } from "../../../src/agent/http.js";
import { openWeb, type Web } from "../../../src/agent/page/open.js";
import type { TargetView } from "../../../src/agent/page/view.js";
import { SecretValue } from "../../../src/core/secret.js";
import { AgentWorld } from "../world.js";

const PASSWORD = "pw-7f3e91aa";
const SHARED_KEY = "psk-55d0c2be";
const TOKEN = "page-token-90be12c4";

let world: AgentWorld;
let web: Web | undefined;
beforeAll(async () => {
  const administrators = ["netops", "alice"].map((name) => ({ name, password: PASSWORD, role: { kind: "superuser" } as const }));
  world = await AgentWorld.start({ target: "mode: observe", device: { administrators } });
  world.environment = { ...world.environment, PW: PASSWORD, PSK: SHARED_KEY };
  world.write(
    "edge/objects.yaml",
    'target: edge\nscope: vsys1\nconfig:\n  address:\n    keyed: { ip-netmask: 10.0.0.1, description: "key ${env:PSK}" }\n',
  );
  world.push("a secret in a document");
  await world.run();
  await world.event("pass-ended");
});
afterAll(async () => {
  web?.close();
  await world.close();
});

const NO_ACCESS = { hasDesigns: () => false, answerAccess: () => Promise.reject(new Error("no answer")) };

it("shows labels instead of secrets in every reply", async () => {
  const { open, store } = world;
  if (open === undefined || store === undefined) throw new Error("no agent");
  const { controls, health, source } = open;
  web = openWeb({
    store,
    controls: { ...controls, source, hasAudit: () => false, audit: async () => [], ...NO_ACCESS },
    people: { word: new SecretValue(TOKEN, "${env:T}"), tokens: [], rights: [] },
    provider: undefined,
    sessionKey: await open.sessionKey(),
    now: () => world.clock.now(),
    monotonic: () => world.clock.monotonic(),
    emit: (happening) => open.events.emit(happening),
    onFault: () => undefined,
  });
  open.events.listen((event) => web?.listen(event));
  await controls.visit("edge", "plan");
  await world.event("pass-ended", ({ outcome }) => outcome?.plan !== undefined, 0);
  const server = await serveAgent({
    host: "127.0.0.1",
    port: 0,
    health,
    gate: undefined,
    onPush: () => undefined,
    pages: new Map(),
    web,
  });
  try {
    const ask = async (path: string, init?: RequestInit) => await (await fetch(`${server.url}/${path}`, init)).text();
    const headers = { "content-type": "application/json" };
    const login = { method: "POST", headers, body: JSON.stringify({ name: "ann", token: TOKEN }) };
    const target = await ask("api/target?name=edge");
    const replies = [
      target,
      ...(await Promise.all(
        ["", "app.js", "api/fleet", "api/history", "api/history?target=edge", "api/session", "api/audit"].map((path) => ask(path)),
      )),
      await ask("api/login", login),
      await ask("api/pause", login),
    ];
    expect((JSON.parse(target) as TargetView).drift).not.toEqual([]);
    expect((JSON.parse(target) as TargetView).plan?.json?.operations).not.toEqual([]);
    expect(target).toContain("${env:PSK}");
    for (const reply of replies) for (const secret of [PASSWORD, SHARED_KEY, TOKEN]) expect(reply).not.toContain(secret);
  } finally {
    await server.close();
  }
});

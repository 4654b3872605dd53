import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/agent/events.js";
import { Provider } from "../../../src/agent/page/provider.js";
import type { SessionView } from "../../../src/agent/page/view.js";
import { SecretValue } from "../../../src/core/secret.js";
import type { ProviderSettings } from "../../../src/desired/configuration/page-settings.js";
import { CLIENT, RunningProvider, Wanderer } from "./oidc-provider.js";
import { PageWorld } from "./world.js";

const MINUTE = 60_000;
const settingsFor = (issuer: string): ProviderSettings => ({
  issuer,
  clientId: CLIENT.id,
  clientSecret: undefined,
  scopes: ["openid", "profile", "groups"],
  nameClaim: "preferred_username",
  groupsClaim: "groups",
  recheck: 15 * MINUTE,
});

let world: PageWorld;
let provider: RunningProvider;

async function start(wholeToken = false, secret = CLIENT.secret): Promise<void> {
  for (;;) {
    // The provider must know the page's address, and the page the provider's: a port that was free, and may be somebody's by then.
    const probe = await PageWorld.start();
    const { port } = new URL(probe.url);
    await probe.close();
    try {
      return await startAt(port, wholeToken, secret);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "agent-port-taken") throw error;
      await provider.close();
    }
  }
}

async function startAt(port: string, wholeToken: boolean, secret: string): Promise<void> {
  const page = `http://127.0.0.1:${port}`;
  const accounts = new Map([
    ["ann", { groups: ["netops", "staff"] }],
    ["bob", { groups: ["staff"] }],
  ]);
  provider = await RunningProvider.start(page, accounts, wholeToken);
  world = await PageWorld.start({
    token: "",
    port: Number(port),
    people: {
      rights: [
        { roles: ["pause"], groups: ["netops"] },
        { roles: ["read"], signedIn: true },
      ],
    },
    provider: { settings: settingsFor(provider.issuer), secret: new SecretValue(secret, "${env:OIDC}"), address: page },
  });
}
beforeEach(async () => await start());
afterEach(async () => {
  await world.close();
  await provider.close();
});

const begin = (): string => `${world.url}login/start?back=${encodeURIComponent("#/target/fra-edge-a")}`;
const session = async (browser: Wanderer) => (await (await browser.ask(`${world.url}api/session`)).json()) as SessionView;
const told = <T extends AgentEvent["type"]>(type: T) =>
  world.told.filter((event) => event.type === type) as Extract<AgentEvent, { type: T }>[];
const pause = async (browser: Wanderer): Promise<number> => {
  const headers = { "content-type": "application/json", "x-csrf-token": (await session(browser)).csrf };
  const body = JSON.stringify({ target: "fra-edge-a", reason: "work", by: "root" });
  return (await browser.ask(`${world.url}api/pause`, { method: "POST", headers, body })).status;
};
const atCallback = (address: string): boolean => address.includes("/login/callback");

describe("sign-in with a real provider", () => {
  it("identifies the person, with the rights of the groups, and returns to the former page", async () => {
    const [ann, bob] = [new Wanderer(), new Wanderer()];
    const { address } = await ann.go(begin(), "ann");
    expect(address).toBe(`${world.url}#/target/fra-edge-a`);
    await bob.go(begin(), "bob");
    expect(await session(ann)).toMatchObject({ name: "ann", may: ["read", "pause"] });
    expect(await session(bob)).toMatchObject({ name: "bob", may: ["read"] });
    expect([await pause(ann), await pause(bob)]).toEqual([200, 403]);
    const { host } = new URL(provider.issuer);
    expect((await world.store.pauses.active(world.now)).find(({ target }) => target === "fra-edge-a")?.by).toBe(`ann (${host})`);
    const { entries } = await world.store.history.find({ kinds: ["sign-in"], limit: 5 });
    expect(entries.map(({ author, detail }) => [author, detail.subject])).toContainEqual([`ann (${host})`, "ann"]);
  });

  it("uses claims of the ID token, too, and reports a wrong secret", async () => {
    await world.close();
    await provider.close();
    await start(true);
    const ann = new Wanderer();
    await ann.go(begin(), "ann");
    expect((await session(ann)).may).toEqual(["read", "pause"]);
    await world.close();
    await provider.close();
    await start(false, "another-secret-0123456789");
    const { reply } = await new Wanderer().go(begin(), "ann");
    expect(reply.status).toBe(403);
    expect(await reply.text()).toContain("page-sign-in-refused");
    expect(JSON.stringify(world.told)).not.toContain("another-secret");
  });

  it("is repeated after a while: a removed group loses its rights, and a removed account is signed out", async () => {
    const ann = new Wanderer();
    await ann.go(begin(), "ann");
    provider.accounts.set("ann", { groups: ["staff"] });
    world.advance(15 * MINUTE);
    expect(await pause(ann)).toBe(401);
    expect(await session(ann)).toMatchObject({ name: "", askAgain: true });
    await ann.go(begin(), "nobody is asked");
    expect(await session(ann)).toMatchObject({ name: "ann", may: ["read"] });
    expect(await pause(ann)).toBe(403);
    provider.accounts.delete("ann");
    world.advance(15 * MINUTE);
    await ann.go(begin(), "nobody");
    expect((await session(ann)).name).toBe("");
  });

  it.each([
    ["is missing", undefined],
    ["is empty", ""],
    ["starts or ends with white space", " ann "],
    ["starts or ends with white space", "ann\u00a0"],
    ["is not text", 7],
    ["is not text", ["ann"]],
    ["contains a control character", "an\u0000n"],
    ["contains a control character", "ann\u202e"],
    ["contains a control character", "an\u200bn"],
    ["is longer than 100 characters", `ann${"n".repeat(100)}`],
  ])("refuses a sign-in if the name claim %s: %j", async (problem, username) => {
    for (const wholeToken of [false, true]) {
      if (wholeToken) {
        await world.close();
        await provider.close();
        await start(true);
      }
      provider.accounts.set("ann", { groups: ["netops", "staff"], username });
      const ann = new Wanderer();
      const { reply } = await ann.go(begin(), "ann");
      expect(reply.status).toBe(403);
      const text = await reply.text();
      expect(text).toContain(`The claim preferred_username of the provider ${problem}.`);
      expect(text).toContain("page-sign-in-refused");
      expect((await session(ann)).name).toBe("");
      expect(told("sign-in-refused").length).toBeGreaterThan(0);
    }
  });

  it("uses the name exactly as in the claim", async () => {
    provider.accounts.set("ann", { groups: [], username: "Ann-Lou  O'Neill" });
    const ann = new Wanderer();
    await ann.go(begin(), "ann");
    expect((await session(ann)).name).toBe("Ann-Lou  O'Neill");
  });

  it("asks for the account after a sign-out", async () => {
    const browser = new Wanderer();
    await browser.go(begin(), "ann");
    const headers = { "content-type": "application/json", "x-csrf-token": (await session(browser)).csrf };
    const before = browser.cookie(world.url, "plumbline_session") ?? "";
    await browser.ask(`${world.url}api/logout`, { method: "POST", headers, body: "{}" });
    browser.keep(world.url, "plumbline_session", before);
    expect(await session(browser)).toMatchObject({ name: "", askAgain: false });
    await browser.go(begin(), "bob");
    expect((await session(browser)).name).toBe("bob");
    expect(told("signed-out").map(({ subject }) => subject)).toEqual(["ann"]);
  });
});

describe("the reply of the provider", () => {
  it("is valid once, in the same browser, unchanged", async () => {
    const [ann, eve] = [new Wanderer(), new Wanderer()];
    const { address } = await ann.go(begin(), "ann", atCallback);
    const status = async (browser: Wanderer, at: string): Promise<number> => (await browser.ask(at)).status;
    expect(await status(eve, address)).toBe(403);
    await eve.ask(begin());
    expect(await status(eve, address)).toBe(403);
    expect((await session(eve)).name).toBe("");
    const changed = new URL(address);
    changed.searchParams.set("state", "made-up");
    expect(await status(ann, changed.href)).toBe(403);
    expect(await status(ann, address)).toBe(303);
    expect(await status(ann, address)).toBe(403);
    expect(told("sign-in-refused").every(({ how, address: from }) => how === "provider" && from === "127.0.0.1")).toBe(true);
  });

  it("expires after a quarter of an hour", async () => {
    const ann = new Wanderer();
    const { address } = await ann.go(begin(), "ann", atCallback);
    world.advance(15 * MINUTE);
    expect((await ann.ask(address)).status).toBe(403);
  });

  it("is shown as text if it is a refusal", async () => {
    const browser = new Wanderer();
    const away = await browser.ask(begin());
    const state = new URL(away.headers.get("location") ?? "").searchParams.get("state") ?? "";
    const query = new URLSearchParams({ error: "access_denied", error_description: "<script>", state, iss: provider.issuer });
    const reply = await browser.ask(`${world.url}login/callback?${query}`);
    expect(reply.status).toBe(403);
    expect(await reply.text()).not.toContain("<script>");
    expect(told("sign-in-refused")[0]?.why).toContain("access_denied");
  });

  it("redirects nowhere else", async () => {
    const places = [
      "https://evil.example/",
      "//evil.example",
      "#/\r\nset-cookie: a=b",
      "#//evil.example\\",
      "javascript:alert(1)",
      "/\\evil.example",
    ];
    for (const back of places) {
      const browser = new Wanderer();
      const { address } = await browser.go(`${world.url}login/start?back=${encodeURIComponent(back)}`, "ann");
      expect(new URL(address).origin, back).toBe(new URL(world.url).origin);
      expect(new URL(address).pathname, back).toBe("/");
    }
  });
});

it("an unreachable provider is reported, and requested again later", async () => {
  await provider.close();
  const first = await fetch(begin());
  expect(first.status).toBe(503);
  expect(await first.text()).toContain("page-provider-unavailable");
  expect(await (await fetch(begin())).text()).toContain("did not answer a moment ago");
  world.advance(5_000);
  expect(await (await fetch(begin())).text()).not.toContain("a moment ago");
});

describe("settings of a provider", () => {
  const make = (issuer: string, address?: string) => () =>
    new Provider({ settings: settingsFor(issuer), secret: undefined, address, monotonic: () => 0 });
  const invalid = expect.objectContaining({ code: "page-people-invalid" });
  it("require the page's address, and TLS outside this machine", () => {
    expect(make("https://login.example.com")).toThrow(invalid);
    expect(make("http://login.example.com", "https://page.example.com")).toThrow(invalid);
    expect(make("http://127.0.0.1:4000", "https://page.example.com")().host).toBe("127.0.0.1:4000");
  });
});

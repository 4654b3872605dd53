import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import { CLIENT, RunningProvider } from "../../agent/page/oidc-provider.js";
import { PageWorld } from "../../agent/page/world.js";
import { chromiumPath, startBrowser, visit } from "./browser.js";

const TOKEN = "token-of-edge-night-0123456789";

describe.skipIf(chromiumPath === undefined)("people in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => await browser?.close());

  it("sign in at a real provider, return to their page, and have the rights of their groups", async () => {
    const probe = await PageWorld.start();
    const port = Number(new URL(probe.url).port);
    await probe.close();
    const address = `http://127.0.0.1:${port}`;
    const provider = await RunningProvider.start(address, new Map([["ann", { groups: ["netops"] }]]));
    const settings = {
      issuer: provider.issuer,
      clientId: CLIENT.id,
      clientSecret: undefined,
      scopes: ["openid", "profile", "groups"],
      nameClaim: "preferred_username",
      groupsClaim: "groups",
      recheck: 900_000,
    };
    const world = await PageWorld.start({
      token: "",
      port,
      people: { rights: [{ roles: ["plan"], groups: ["netops"] }] },
      provider: { settings, secret: new SecretValue(CLIENT.secret, "${env:S}"), address },
    });
    const { page, complaints, close } = await visit(browser, `${world.url}#/target/fra-edge-a`);
    try {
      await page.getByText("Sign in to see the fleet.").waitFor();
      await page.getByRole("button", { name: /^Sign in with 127\.0\.0\.1/ }).click();
      await page.locator("input[name=login]").fill("ann");
      await page.locator("input[name=password]").fill("any");
      await page.locator("button[type=submit]").click();
      await page.getByRole("button", { name: /continue/i }).click();
      await page.getByRole("heading", { name: "fra-edge-a" }).waitFor();
      expect(page.url()).toBe(`${world.url}#/target/fra-edge-a`);
      await page.getByText("Roles of ann on this target: read, plan. Missing: pause, reconcile, approve, allow.").waitFor();
      expect(await page.getByRole("button", { name: "Pause", exact: true }).isDisabled()).toBe(true);
      expect(await page.getByRole("button", { name: "Reconcile now" }).isDisabled()).toBe(true);
      await page.getByRole("button", { name: "Plan now" }).click();
      await page.getByText("fra-edge-a is being planned.").waitFor();
      world.advance(900_001);
      await page.getByRole("button", { name: "Plan now" }).click();
      await page.getByText("live", { exact: true }).waitFor();
      await page.getByRole("button", { name: /ann · sign out/ }).click();
      await page.getByText("Sign in to see the fleet.").waitFor();
      // The provider's own forms request a font and an icon that do not exist. An expired session gets 401.
      expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    } finally {
      await close();
      await world.close();
      await provider.close();
    }
  });

  it("sign in with a personal token, and see only its targets", async () => {
    const tokens = [{ name: "edge-night", secret: new SecretValue(TOKEN, "${env:T}") }];
    const rights = [{ roles: ["pause"], tokens: ["edge-night"], targets: ["fra-edge-*"] }] as const;
    const world = await PageWorld.start({ token: "", people: { tokens, rights } });
    const { page, complaints, close } = await visit(browser, world.url);
    try {
      await page.getByLabel("Token").fill(TOKEN);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.locator(".all-rows .cell-name a").first().waitFor();
      expect((await page.locator(".all-rows .cell-name a").allTextContents()).sort()).toEqual(["fra-edge-a", "fra-edge-b"]);
      await page.getByRole("link", { name: "fra-edge-a" }).click();
      await page.getByText("Roles of edge-night on this target: read, pause. Missing: plan, reconcile, approve, allow.").waitFor();
      expect(await page.getByRole("button", { name: "Plan now" }).isDisabled()).toBe(true);
      await page.getByRole("button", { name: "Pause", exact: true }).click();
      await page.getByLabel("Why").fill("CHG-1");
      await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
      await page.getByText(/by edge-night \(token\) until .*CHG-1/).waitFor();
      await page.keyboard.press("p");
      await page.getByText('Refused: this requires the role "plan" on fra-edge-a.').waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await close();
      await world.close();
    }
  });
});

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PageWorld, TOKEN } from "../../agent/page/world.js";
import { chromiumPath, faultsOf, startBrowser, type Visit, visit } from "./browser.js";

describe.skipIf(chromiumPath === undefined)("the page of a target", () => {
  let browser: Browser;
  let world: PageWorld;
  let open: Visit;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => await browser?.close());
  afterEach(async () => {
    const { complaints } = open;
    await open.close();
    await world.close();
    expect(complaints).toEqual([]);
  });

  it("shows a stopped roll-out, and retries its failed targets", async () => {
    const rollout = {
      commit: "c0ffee".repeat(7).slice(0, 40),
      wave: 2,
      of: 3,
      failed: ["mad-dc-b"],
      open: [],
      left: ["ams-edge-a", "ams-edge-b"],
    };
    world = await PageWorld.start({ rollout });
    open = await visit(browser, `${world.url}#/target/ams-edge-a`);
    const { page } = open;
    const banner = page.locator(".banner", { hasText: "Roll-out stopped" });
    await banner.waitFor();
    expect(await banner.textContent()).toMatch(/wave 2 of 3, 2 targets in later waves\. Failed: mad-dc-b\. The roll-out continues/);
    expect(await page.locator(".headline").textContent()).toContain("Pending");
    expect(await banner.getByRole("button").count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Plan now" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your name").fill("ann");
    await dialog.getByLabel("Token").fill(TOKEN);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Signed in as ann.").waitFor();
    await banner.getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => world.asked).toContainEqual({ target: "mad-dc-b", wish: "reconcile" });
  });

  it("lists rules that ended or end soon", async () => {
    world = await PageWorld.start();
    open = await visit(browser, `${world.url}#/target/ams-edge-a`);
    const ends = open.page.getByRole("region", { name: "End dates" });
    await ends.waitFor();
    expect(await ends.getByRole("listitem").allTextContents()).toEqual([
      "chg-0: ended, last day 2026-11-19",
      "chg-1: ends, last day 2026-11-23",
      "chg-2: ends, last day 2026-11-24",
      "chg-3: ends, last day 2026-11-25",
      "chg-4: ends, last day 2026-11-26",
      "chg-5: ends, last day 2026-11-26",
      "and 1 more",
    ]);
    expect(await faultsOf(open.page)).toEqual([]);
  });
});

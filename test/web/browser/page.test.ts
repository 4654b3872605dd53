import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readAssets } from "../../../src/agent/page/assets.js";
import { staticPage } from "../../../src/agent/page/static-page.js";
import type { AuditView, FleetView, TargetView } from "../../../src/agent/page/view.js";
import type { FirewallStep, PushStep } from "../../../src/outcome/push-course.js";
import { manyTargets } from "../../agent/page/many.js";
import { COMMIT } from "../../agent/page/sample.js";
import { PageWorld, TOKEN } from "../../agent/page/world.js";
import { chromiumPath, faultsOf, startBrowser, type Visit, visit } from "./browser.js";

describe.skipIf(chromiumPath === undefined)("the page in a browser", () => {
  let browser: Browser;
  let world: PageWorld;
  let open: Visit;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => await browser?.close());
  beforeEach(async () => {
    world = await PageWorld.start();
  });
  afterEach(async () => {
    const { complaints, elsewhere } = open;
    await open.close();
    await world.close();
    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([]);
  });
  const go = async (hash = "#/", options: Parameters<typeof visit>[2] = {}): Promise<Page> => {
    open = await visit(browser, `${world.url}${hash}`, options);
    await open.page.getByText("live", { exact: true }).waitFor();
    return open.page;
  };
  const names = async (page: Page): Promise<string[]> => await page.locator(".all-rows .cell-name a").allTextContents();

  it("shows urgent targets first, and filters and searches", async () => {
    const page = await go();
    expect((await names(page)).slice(0, 5)).toEqual(["mad-dc-b", "vie-edge-b", "lon-branch-3", "fra-edge-a", "waw-dc-a"]);
    await page.getByRole("button", { name: "Drifted" }).click();
    expect(await names(page)).toEqual(["lon-branch-3", "fra-edge-a", "waw-dc-a"]);
    await page.getByRole("searchbox").fill("novak");
    expect(await names(page)).toEqual(["fra-edge-a"]);
    // The browser reports a new address in a separate event.
    await page.waitForURL(/q=novak&only=drifted/);
    await page.getByRole("link", { name: "fra-edge-a" }).click();
    await page.goBack();
    expect(await names(page)).toEqual(["fra-edge-a"]);
    await page.getByRole("searchbox").press("Escape");
    await page.getByRole("button", { name: "Paused" }).click();
    expect(await names(page)).toEqual(["prg-edge-a"]);
  });

  it("shows old and new values with place and author, the plan, and older history", async () => {
    const page = await go("#/target/fra-edge-a");
    const change = page.getByRole("article").filter({ hasText: "guest-to-internet › action" });
    await change.waitFor();
    expect(await change.locator("del").textContent()).toBe("allow");
    expect(await change.locator("ins").textContent()).toBe("deny");
    expect(await change.textContent()).toContain("by j.novak at 2026/11/20 01:47:12");
    const list = page.getByRole("article").filter({ hasText: "vendor-access › source" });
    expect(await list.locator("del").allTextContents()).toEqual(["any"]);
    expect(await list.locator("ins").count()).toBe(0);
    expect(await page.locator("article.is-extra .line").count()).toBe(7);
    expect(await page.locator(".operations li").count()).toBe(4);
    await page.getByText("Changes access").waitFor();
    const assertions = page.getByRole("region", { name: "Assertions" });
    expect(await assertions.textContent()).toMatch(
      /Assertions 12.*11 hold, judged.*guests-stay-out broken by a manual change.*fra\/expect\.yaml:12/,
    );
    await page.locator(".history li").first().waitFor();
    expect(await page.locator(".history li").count()).toBeGreaterThan(5);
    await page.goto(`${world.url}#/history`);
    await page.getByRole("button", { name: "Older" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".history li").length === 60);
  });

  it("draws the audit and describes it in text", async () => {
    const page = await go("#/audit");
    await page.locator(".findings li").first().waitFor();
    expect(await page.locator("svg[role=img] .card").count()).toBe(8);
    expect(await page.locator("svg[role=img] .join").count()).toBe(6);
    expect(await page.locator(".findings li").count()).toBe(6);
  });

  it("pauses, resumes, plans and reconciles after sign-in", async () => {
    const page = await go("#/target/fra-edge-a");
    await page.getByRole("button", { name: "Plan now" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your name").fill("ann");
    await dialog.getByLabel("Token").fill("not the token");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByText("The token is unknown.").waitFor();
    await dialog.getByLabel("Token").fill(TOKEN);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Signed in as ann.").waitFor();
    await page.getByRole("button", { name: "Plan now" }).click();
    await page.getByText("fra-edge-a is being planned.").waitFor();
    await page.getByRole("button", { name: "Reconcile now" }).click();
    await dialog.getByText("5 drifts will be put right.").waitFor();
    await dialog.getByRole("button", { name: "Reconcile now" }).click();
    await page.getByText("fra-edge-a is being reconciled.").waitFor();
    expect(world.asked.map(({ wish }) => wish)).toEqual(["plan", "reconcile"]);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await dialog.getByLabel("Why").fill("CHG-1");
    await dialog.getByRole("button", { name: "Pause" }).click();
    await page.getByText(/by page token, says "ann" until .*CHG-1/).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("fra-edge-a is resumed.").waitFor();
    expect(await page.context().cookies()).toMatchObject([{ httpOnly: true, sameSite: "Strict" }]);
    await page.reload();
    await page.getByRole("button", { name: /sign out/ }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
  });

  it("has no buttons if no user can sign in", async () => {
    await world.close();
    world = await PageWorld.start({ token: "" });
    const page = await go("#/target/fra-edge-a");
    await page.getByRole("article").first().waitFor();
    expect(await page.getByRole("button", { name: /Reconcile|Plan now|Pause|Sign in/ }).count()).toBe(0);
  });

  it("shows live updates, and recovers after a disconnection", async () => {
    const page = await go();
    await world.endPass("ams-dc-a", "failed");
    await page.locator(".row.is-failed", { hasText: "ams-dc-a" }).waitFor();
    await world.endPass("ams-dc-a", "in-sync");
    await page.locator(".row.is-in-sync", { hasText: "ams-dc-a" }).waitFor();
    world.web.close();
    await page.getByText("no connection").waitFor();
    await world.endPass("bud-dc-a", "failed");
    await page.locator(".row.is-failed", { hasText: "bud-dc-a" }).waitFor();
  });

  it("shows the waves of a running push", async () => {
    const page = await go("#/target/ams-edge-a");
    const since = new Date(world.now).toISOString();
    const step = (serial: string, wave: number, words: PushStep) => ({
      serial,
      hostname: `fw-${serial}`,
      wave,
      step: words,
      since,
      job: "7",
    });
    const push = (...firewalls: readonly FirewallStep[]) =>
      world.events.emit({
        type: "push-moved",
        target: "ams-edge-a",
        course: { run: "host:7", by: "plumbline", began: since, waves: 2, firewalls, isBack: false },
      });
    await push(step("1", 1, "pushing"), step("2", 2, "waiting for a canary"));
    const table = page.getByRole("region", { name: "Push" });
    await table.getByText("waiting for a canary").first().waitFor();
    expect(await table.getByRole("row").allTextContents()).toContainEqual(expect.stringMatching(/^1fw-1.*pushing/));
    expect(await faultsOf(page)).toEqual([]);
    await push(step("1", 1, "arrived"), step("2", 2, "pushing"));
    await table.getByText("wave 2 of 2, 1 of 2 firewalls have it, 1 pushing").waitFor();
  });

  it("can be used without a mouse", async () => {
    const page = await go();
    /** The focus comes with the next frame. */
    const focused = async (): Promise<string> => {
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      return await page.evaluate(() => document.activeElement?.textContent ?? "");
    };
    const { keyboard } = page;
    await keyboard.press("j");
    expect(await focused()).toBe("mad-dc-b");
    await keyboard.press("j");
    await keyboard.press("ArrowDown");
    await keyboard.press("j");
    await keyboard.press("k");
    expect(await focused()).toBe("lon-branch-3");
    await keyboard.press("End");
    expect(await focused()).toBe((await names(page)).at(-1));
    await keyboard.press("/");
    await keyboard.type("fra-edge-a");
    await keyboard.press("Enter");
    expect(await focused()).toBe("fra-edge-a");
    await keyboard.press("Enter");
    await page.getByRole("article").first().waitFor();
    expect(await focused()).toBe("fra-edge-a");
    await keyboard.press("j");
    expect(await focused()).toContain("rules");
    await keyboard.press("p");
    await page.getByRole("dialog").waitFor();
    await keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await keyboard.press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await keyboard.press("Escape");
    await keyboard.press("Escape");
    await page.getByRole("heading", { name: /^Fleet/ }).waitFor();
  });

  it("navigates by a few letters, sorts by columns and groups, and keeps the view in the address", async () => {
    const page = await go();
    const { keyboard } = page;
    await keyboard.press("Control+k");
    await keyboard.type("gro site");
    await page.getByRole("option", { selected: true, name: /Group by site/ }).waitFor();
    await keyboard.press("Enter");
    await page.locator(".row.group", { hasText: "ams" }).waitFor();
    expect(await page.locator(".row.group").first().textContent()).toContain("7 targets");
    await page.getByRole("columnheader", { name: "Target" }).getByRole("button").click();
    await page.getByRole("columnheader", { name: "Target" }).getByRole("button").click();
    expect(await page.getByRole("columnheader", { name: "Target" }).getAttribute("aria-sort")).toBe("descending");
    await page.waitForURL(/sort=-name&by=site/);
    expect((await names(page)).slice(0, 2)).toEqual(["ams-edge-b", "ams-edge-a"]);
    await page.getByRole("button", { name: /ams 7 targets/ }).click();
    expect((await names(page))[0]).toBe("bud-edge-b");
    await page.reload();
    await page.locator(".row.group").first().waitFor();
    expect((await names(page))[0]).toBe("ams-edge-b");
    await keyboard.press("Control+k");
    await keyboard.type("fra edge");
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowUp");
    await keyboard.press("Enter");
    await page.getByRole("heading", { name: "fra-edge-a" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("accepts the first key as soon as it is visible", async () => {
    open = await visit(browser, world.url);
    const { page } = open;
    // In the very turn in which the targets are drawn, before they are painted.
    await page.addInitScript(() => {
      const seen = new MutationObserver(() => {
        if (document.querySelector(".all-rows")?.textContent.includes("fra-edge-a") !== true) return;
        seen.disconnect();
        document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
      });
      seen.observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await page.getByRole("dialog", { name: "Go to or do" }).waitFor();
  });

  it("shows the time zone, and links to commits, lines and filtered rows", async () => {
    const page = await go("#/target/fra-edge-a", { timezoneId: "Europe/Budapest" });
    const line = page.getByRole("article").filter({ hasText: "guest-to-internet › action" }).getByRole("link");
    const id = COMMIT;
    expect(await line.getAttribute("href")).toBe(`https://github.com/example/network/blob/${id}/desired-state/fra/rules.yaml#L41`);
    expect(await line.getAttribute("rel")).toContain("noopener");
    expect(await page.locator(".operations").getByRole("link", { name: "fra/objects.yaml:118" }).count()).toBe(1);
    const facts = page.locator(".facts");
    expect(await facts.textContent()).toContain("Guests reach the internet through the proxy alone by Ann Horvath");
    expect(await facts.getByRole("link", { name: id.slice(0, 10) }).getAttribute("href")).toBe(
      `https://github.com/example/network/commit/${id}`,
    );
    expect(await facts.textContent()).toContain("2026-11-20 02:48:40 UTC+01:00");
    await page.getByRole("button", { name: "Times are UTC+01:00" }).click();
    expect(await facts.textContent()).toContain("2026-11-20 01:48:40 UTC");
    await page.getByRole("link", { name: "Search this history" }).click();
    await page.getByLabel("Kind").selectOption("drift");
    await page.getByLabel("Person").fill("j.novak");
    await page.getByLabel("Person").press("Enter");
    await page.getByLabel("Day (UTC)").fill("2026-11-20");
    await page.waitForURL(/target=fra-edge-a&person=j.novak&kind=drift&since=2026-11-20T00%3A00Z&until=2026-11-21T00%3A00Z/);
    await page.waitForFunction(() => document.querySelectorAll(".history li").length === 3);
    await page.getByLabel("Day (UTC)").fill("2026-11-19");
    await page.getByText("Nothing fits").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".history li").length === 30);
  });

  it("overrides a refused plan once, for the shown plan and guards", async () => {
    const page = await go("#/target/vie-edge-b");
    await page.getByText("override once: deletes up to 47%.").waitFor();
    expect(await page.locator(".banner.is-refused").count()).toBe(1);
    const [first] = await page.locator(".columns h2").allTextContents();
    expect(first).toBe("Plan");
    expect(await page.locator(".columns .wide article .change-word").allTextContents()).toContain("create");
    // The history may contain an older "in sync".
    for (const part of [".headline", ".facts", ".columns .wide"])
      expect(await page.locator(part).textContent()).not.toMatch(/No drift|in sync/i);
    await page.getByRole("button", { name: "Allow once" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your name").fill("ann");
    await dialog.getByLabel("Token").fill(TOKEN);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Signed in as ann.").waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    await dialog.getByText("deletes up to 47%").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Allow once" }).click();
    await page.getByText(/vie-edge-b is tried once more/).waitFor();
    const flags = ["--allow deletes=47%"];
    expect(world.allowed).toMatchObject([{ target: "vie-edge-b", digest: "aa".repeat(32), flags, by: 'page token, says "ann"' }]);
    await page.evaluate(() => location.assign("#/target/fra-edge-a"));
    await page.getByRole("article").first().waitFor();
    expect(await page.getByRole("button", { name: /Allow|Approve/ }).count()).toBe(0);
  });

  it("scrolls over 5,000 targets with only the visible rows in the document", async () => {
    await world.close();
    world = await PageWorld.start(manyTargets(5_000));
    const page = await go();
    const table = page.getByRole("table");
    expect(await table.getAttribute("aria-rowcount")).toBe("5001");
    await table.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await page.waitForFunction(() => document.querySelector('[aria-rowindex="5001"]') !== null);
    expect(await page.locator(".all-rows .row").count()).toBeLessThan(80);
    await page.getByRole("searchbox").fill("fw-04999");
    expect(await names(page)).toEqual(["fw-04999"]);
  });

  it.each([
    [360, "light"],
    [360, "dark"],
    [820, "light"],
    [820, "dark"],
    [1440, "light"],
    [1440, "dark"],
  ] as const)(
    "fits %d pixels, and reads well in the %s theme",
    async (width, colorScheme) => {
      const page = await go("#/", { viewport: { width, height: 800 }, colorScheme });
      for (const [hash, sign] of [
        ["#/", ".all-rows .row"],
        ["#/target/fra-edge-a", ".history li"],
        ["#/target/mad-dc-b", ".history li"],
        ["#/target/vie-edge-b", ".refusals li"],
        ["#/audit", ".findings li"],
        ["#/?by=site&sort=-name", ".row.group"],
        ["#/history?kind=drift", ".history li"],
      ] as const) {
        await page.evaluate((to) => location.assign(to), hash);
        await page.locator(sign).first().waitFor();
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${hash} is too wide`).toBeLessThanOrEqual(0);
        expect(await faultsOf(page), hash).toEqual([]);
      }
      await page.getByRole("button", { name: "Help and keys" }).click();
      expect(await faultsOf(page), "help").toEqual([]);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.locator(".fits [role=option]").first().waitFor();
      expect(await faultsOf(page), "palette").toEqual([]);
    },
    120_000,
  );

  it("switches its theme on click, and remembers it", async () => {
    const page = await go("#/", { colorScheme: "light" });
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.getByRole("button", { name: /Theme/ }).click();
    await page.getByRole("button", { name: /Theme/ }).click();
    const dark = await back();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
    expect(await back()).toBe(dark);
  });

  it("shows the same from a file", async () => {
    const ask = async <T>(path: string): Promise<T> => (await (await fetch(`${world.url}${path}`)).json()) as T;
    const view = {
      fleet: await ask<FleetView>("api/fleet"),
      targets: { "fra-edge-a": await ask<TargetView>("api/target?name=fra-edge-a") },
      audit: await ask<AuditView>("api/audit"),
    };
    const folder = mkdtempSync(join(tmpdir(), "report-"));
    const file = join(folder, "index.html");
    writeFileSync(file, staticPage(readAssets(), view));
    try {
      open = await visit(browser, pathToFileURL(file).href);
      const { page } = open;
      await page.getByText("report", { exact: true }).waitFor();
      await page.getByRole("link", { name: "fra-edge-a" }).click();
      await page.getByRole("article").first().waitFor();
      expect(await page.getByRole("button", { name: /Reconcile|Plan now|Sign in/ }).count()).toBe(0);
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("link", { name: "Audit" }).click();
      await page.locator(".findings li").first().waitFor();
      expect(await page.locator(".findings li").count()).toBe(6);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

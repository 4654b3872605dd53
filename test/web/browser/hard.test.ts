import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../src/agent/store/store.js";
import { COMMIT, NOW } from "../../agent/page/sample.js";
import { PageWorld, type PageWorldOptions, TOKEN } from "../../agent/page/world.js";
import { chromiumPath, startBrowser, type Visit, visit } from "./browser.js";

const HTML = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
const TURNED = "allow\u202Eyned";
const RULE = "/config/shared/address/entry[@name=";

const start = (target: string, at = NOW - 60_000) =>
  ({ target, pass: "drift", trigger: "timer", started: at, commit: COMMIT, runner: "hard:1" }) as const;
const end = (more: object = {}, at = NOW - 59_000) =>
  ({ ended: at, outcome: "in-sync", exitCode: 0, reason: undefined, durations: {}, ...more }) as Parameters<Store["passes"]["record"]>[1];

function drift(path: string, before: string) {
  return {
    path,
    change: "differs",
    author: HTML,
    authorTime: undefined,
    view: { kind: "differs", xpath: path, before, after: "<a>b</a>" },
  } as const;
}

const HARD: PageWorldOptions = {
  targets: new Map(["hostile", "huge", "old", "fresh"].map((name) => [name, { kind: "panos", mode: "enforce" }])),
  fill: async ({ passes }) => {
    const error = { code: "device-unreachable", message: `${HTML} ${"w".repeat(500)}`, severity: "error", where: {}, next: HTML };
    const inXml = HTML.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    const items = [drift(`${RULE}'${TURNED}']/description`, `<a>${"x".repeat(5_000)}${inXml}${TURNED}</a>`)];
    await passes.record(start("hostile"), end({ outcome: "failed", exitCode: 1, reason: HTML, error, drift: { items } }));
    const many = Array.from({ length: 5_000 }, (_, i) =>
      drift(`${RULE}'host-${i}']/ip-netmask`, `<ip-netmask>10.0.0.${i % 255}</ip-netmask>`),
    );
    await passes.record(start("huge"), end({ outcome: "pending", exitCode: 2, drift: { items: many } }));
    for (let n = 0; n < 1_000; n++) {
      const result = n % 2 === 0 ? {} : ({ outcome: "refused", exitCode: 3, reason: "a guard" } as const);
      await passes.record(start("old", NOW - 1_000_000 - n), end(result, NOW - 1_000_000 - n));
    }
  },
};

describe.skipIf(chromiumPath === undefined)("the page under difficult conditions", () => {
  let browser: Browser;
  let world: PageWorld;
  let open: Visit | undefined;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => await browser?.close());
  beforeEach(() => {
    open = undefined;
  });
  afterEach(async () => {
    await open?.close();
    await world.close();
  });
  const go = async (hash: string): Promise<Page> => {
    open = await visit(browser, `${world.url}${hash}`);
    await open.page.getByText("live", { exact: true }).waitFor();
    return open.page;
  };
  const signIn = async (page: Page): Promise<void> => {
    // After sign-in the page loads the fleet again and is then replaced.
    let isIn = false;
    const followed = page.waitForResponse((response) => {
      isIn ||= response.url().endsWith("/api/login");
      return isIn && response.url().endsWith("/api/fleet");
    });
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Your name").fill("ann");
    await page.getByLabel("Token").fill(TOKEN);
    await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
    await followed;
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByText("Signed in as ann.").waitFor();
  };

  it("shows markup as text, also direction-changing characters", async () => {
    world = await PageWorld.start(HARD);
    const page = await go("#/target/hostile");
    const change = page.getByRole("article").first();
    await change.waitFor();
    expect(await change.textContent()).toContain("allow⟨U+202E⟩yned");
    expect(await page.locator("main").textContent()).toContain(HTML);
    expect(await page.evaluate(() => [document.querySelectorAll("img, main script").length, document.title])).toEqual([
      0,
      "hostile – Plumbline",
    ]);
    expect(await page.locator("main").textContent()).not.toContain("\u202E");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect([open?.complaints, open?.elsewhere]).toEqual([[], []]);
  });

  it("stays small with 5,000 changes and a long history, and shows a new target as unknown", async () => {
    world = await PageWorld.start(HARD);
    const page = await go("#/target/huge");
    await page.getByRole("heading", { name: /^Drift/ }).waitFor();
    expect(await page.getByRole("heading", { name: /^Drift/ }).textContent()).toContain("5000");
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(4_000);
    await page.evaluate(() => location.assign("#/target/old"));
    await page.getByRole("button", { name: "Older" }).click();
    const rows = () => page.locator(".history li").count();
    const most = 60;
    await page.waitForFunction((least) => document.querySelectorAll(".history li").length >= least, most);
    await world.endPass("old", "in-sync");
    await world.endPass("old", "failed");
    await page.locator(".pill.is-failed").waitFor();
    expect(await rows(), "what was read further down stays").toBeGreaterThanOrEqual(most);
    await page.evaluate(() => location.assign("#/target/fresh"));
    await page.getByText("Not checked yet").waitFor();
    expect(open?.complaints).toEqual([]);
  });

  it("asks to sign in again after a session ends, before it executes a click", async () => {
    world = await PageWorld.start();
    const page = await go("#/target/fra-edge-a");
    await signIn(page);
    world.advance(12 * 3_600_000 + 1);
    await page.getByRole("button", { name: "Plan now" }).click();
    await page.getByText("Your session is over: sign in again.").waitFor();
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    expect(world.asked).toEqual([]);
  });

  it("updates below a filter without losing typed text", async () => {
    world = await PageWorld.start();
    const page = await go("#/");
    const search = page.getByRole("searchbox");
    await search.fill("dc-a");
    await search.press("Home");
    await search.press("Delete");
    await world.endPass("ams-dc-a", "failed");
    await page.locator(".row.is-failed", { hasText: "ams-dc-a" }).waitFor();
    await world.endPass("ams-edge-a", "failed");
    await page
      .getByRole("button", { name: /Failed/ })
      .filter({ hasText: "3" })
      .waitFor();
    await page.keyboard.type("d");
    expect(await search.inputValue()).toBe("dc-a");
    expect(await page.locator(".all-rows .row", { hasText: "ams-edge-a" }).count()).toBe(0);
  });

  it("reconnects to a restarted agent, with the session", async () => {
    world = await PageWorld.start();
    const page = await go("#/");
    await signIn(page);
    const port = Number(new URL(world.url).port);
    await world.close();
    await page.getByText("no connection").waitFor();
    world = await PageWorld.start({ port });
    await page.getByText("live", { exact: true }).waitFor();
    await page.evaluate(() => location.assign("#/target/fra-edge-a"));
    await page.getByRole("button", { name: "Plan now" }).click();
    await page.getByText("fra-edge-a is being planned.").waitFor();
  });

  it("reports an unavailable store, and keeps showing known data", async () => {
    world = await PageWorld.start();
    const page = await go("#/");
    await signIn(page);
    let isDown = true;
    const json = { error: { code: "store-unreachable", message: "The database db.example does not answer." } };
    await page.route("**/api/target?*", (route) => (isDown ? route.fulfill({ status: 503, json }) : route.continue()));
    await page.getByRole("link", { name: "fra-edge-a" }).click();
    await page.getByText("The database db.example does not answer.").waitFor();
    expect(await page.getByText("Loading").count()).toBe(0);
    // A changed row reloads by itself, so no event may come between the store's reply and the click.
    const again = page.getByRole("button", { name: "Try again" });
    await again.click({ trial: true });
    isDown = false;
    await again.dispatchEvent("click");
    await page.getByRole("article").first().waitFor();
    expect(await page.getByText("does not answer").count()).toBe(0);
  });

  it("cannot be framed by another page", async () => {
    world = await PageWorld.start();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.setContent(`<iframe src="${world.url}" width="800" height="600"></iframe>`);
    await page.waitForFunction(() => document.querySelector("iframe") !== null);
    const frame = page.frames().find((each) => each !== page.mainFrame());
    await frame?.waitForLoadState().catch(() => undefined);
    expect(await frame?.locator("main, #app").count()).toBe(0);
    await context.close();
  });
});

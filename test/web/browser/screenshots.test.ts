import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PageWorld } from "../../agent/page/world.js";
import { chromiumPath, startBrowser, visit } from "./browser.js";

const FOLDER = process.env.PLUMBLINE_SCREENSHOTS ?? "";
const MOST_BYTES = 60_000;

/** Name, path, width, height, theme. */
const PICTURES = [
  ["overview-1440-light", "#/", 1440, 900, "light"],
  ["overview-1440-dark", "#/", 1440, 900, "dark"],
  ["overview-820-light", "#/", 820, 900, "light"],
  ["overview-820-dark", "#/", 820, 900, "dark"],
  ["overview-360-light", "#/", 360, 740, "light"],
  ["overview-360-dark", "#/", 360, 740, "dark"],
  ["target-1440-dark", "#/target/fra-edge-a", 1440, 720, "dark"],
  ["target-820-light", "#/target/fra-edge-a", 820, 1100, "light"],
  ["target-360-light", "#/target/fra-edge-a", 360, 740, "light"],
  ["audit-820-dark", "#/audit", 820, 900, "dark"],
] as const;

/** `npm run screenshots` writes them to docs/page/. */
describe.skipIf(chromiumPath === undefined || FOLDER === "")("screenshots", () => {
  let browser: Browser;
  let world: PageWorld;
  beforeAll(async () => {
    browser = await startBrowser();
    world = await PageWorld.start();
    mkdirSync(FOLDER, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
    await world.close();
  });

  it.each(PICTURES)("%s", async (name, hash, width, height, colorScheme) => {
    const { page, complaints, close } = await visit(browser, `${world.url}${hash}`, { viewport: { width, height }, colorScheme });
    await page.getByText("live", { exact: true }).waitFor();
    await page.waitForLoadState("networkidle").catch(() => undefined);
    await page.locator(hash === "#/audit" ? ".findings" : hash === "#/" ? ".all-rows .row >> nth=0" : ".history li >> nth=0").waitFor();
    const file = join(FOLDER, `${name}.webp`);
    // A third of the size of PNG, without a visible difference.
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 75 });
    writeFileSync(file, Buffer.from(data, "base64"));
    await close();
    expect(complaints).toEqual([]);
    expect(statSync(file).size).toBeLessThan(MOST_BYTES);
  });
});

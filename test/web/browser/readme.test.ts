import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { marked } from "marked";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, startBrowser } from "./browser.js";
import { STYLE } from "./code-host.js";

/** The folder for pictures of `npm run screenshots`. Without it they are only taken. */
const KEPT = process.env.PLUMBLINE_SCREENSHOTS === undefined ? undefined : "docs/pictures";
const MOST_BYTES = 60_000;
const WIDTHS = [1280, 820, 390];

describe.skipIf(chromiumPath === undefined)("the README", () => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-readme-"));
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
    symlinkSync(resolve("docs"), join(folder, "docs"));
    const body = await marked(readFileSync("README.md", "utf8"));
    writeFileSync(
      join(folder, "README.html"),
      `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>${STYLE}</style>${body}`,
    );
    if (KEPT !== undefined) mkdirSync(KEPT, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  const looks = WIDTHS.flatMap((width) => (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })));
  it.each(looks)("shows its pictures and fits into a window of $width, $colorScheme", async ({ width, colorScheme }) => {
    const context = await browser.newContext({ viewport: { width, height: 840 }, colorScheme });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, "README.html")).href);
    const seen = await page.evaluate("Array.from(document.images, (image) => image.complete && image.naturalWidth > 0)");
    expect(seen).toEqual([true, true]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    const devtools = await context.newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 28 });
    const picture = Buffer.from(data, "base64");
    expect(picture.length).toBeLessThan(MOST_BYTES);
    if (KEPT !== undefined) writeFileSync(join(KEPT, `readme-${width}-${colorScheme}.webp`), picture);
    await context.close();
  });
});

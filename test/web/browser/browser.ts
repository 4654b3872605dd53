import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { leaveOut } from "../../left-out.js";

const PLACES = [process.env.PLUMBLINE_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Undefined if there is none. The tests are then skipped and reported. */
export const chromiumPath: string | undefined = PLACES.find((path) => path !== undefined && existsSync(path));

if (chromiumPath === undefined) leaveOut("the page in a browser: no Chromium, see test/web/browser/install-chromium");

export async function startBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error("no Chromium");
  return await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"] });
}

export interface Visit {
  readonly page: Page;
  /** Policy violations, script errors and failed requests: must always be empty. */
  readonly complaints: string[];
  /** Requested addresses outside the agent. */
  readonly elsewhere: string[];
  close(): Promise<void>;
}

/** A page of its own, with everything written down that must not happen. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: "UTC", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // A refused token is an answer that the browser reports as an error.
    if (message.type() === "error" && !/status of (401|403|409|429)/.test(message.text())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    const isOurs = request.url().startsWith(url.split("#")[0] ?? url) || request.url().startsWith("data:");
    if (!isOurs) elsewhere.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, elsewhere, close: () => context.close() };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Findings of axe, by rule and place. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return await page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
    ).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

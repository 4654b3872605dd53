import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { marked } from "marked";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { monitoring } from "../../pictures/monitoring.js";
import { chromiumPath, startBrowser } from "./browser.js";
import { STYLE } from "./code-host.js";

/** The folder for pictures of `npm run screenshots`. Without it they are only taken. */
const KEPT = process.env.PLUMBLINE_SCREENSHOTS === undefined ? undefined : "docs/pictures";
const MOST_BYTES = 60_000;

const ASSERTED = `target: firewall
scope: vsys1
assert:
  - name: office-to-db-postgres-only
    description: the office reaches the databases with nothing but PostgreSQL
    verdict: deny
    from: [office]
    to: [db]
    except:
      - { service: [tcp/5432], application: [postgres] }
  - name: guests-stay-out
    verdict: deny
    from: [untrust]
    to: [db]
`;

/** Output of a real run for a plan of a lab firewall, as on code hosts and on the page. */
describe.skipIf(chromiumPath === undefined)("what becomes reachable", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
    if (KEPT !== undefined) mkdirSync(KEPT, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
  });

  const opened = async (file: string, hash = ""): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1012, height: 820 }, colorScheme: "light" });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(`${pathToFileURL(file).href}${hash}`);
    return page;
  };
  const picture = async (page: Page, name: string): Promise<void> => {
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 30 });
    const bytes = Buffer.from(data, "base64");
    expect(bytes.length).toBeLessThan(MOST_BYTES);
    if (KEPT !== undefined) writeFileSync(join(KEPT, `${name}.webp`), bytes);
    await page.context().close();
  };

  it("is shown in the comment of a pull request, and on the page of a target", async () => {
    const { folder, run } = await monitoring({ "expect.yaml": ASSERTED });
    const { shown } = await run("plan", "--format", "markdown");
    const file = join(folder, "comment.html");
    writeFileSync(file, `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>${await marked(shown)}`);
    const page = await opened(file);
    await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
    expect(await page.getByText("web-servers").first().isVisible()).toBe(true);
    expect(await page.getByText("becomes reachable").first().isVisible()).toBe(true);
    await picture(page, "insight-comment");

    const report = await run("report", "--html", join(folder, "site"));
    expect(report.code, report.shown).toBeLessThan(4);
    const target = await opened(join(folder, "site", "index.html"), "#/target/firewall");
    const said = target.locator("pre.reachable");
    await said.waitFor();
    await said.scrollIntoViewIfNeeded();
    expect(await said.innerText()).toContain("mon-01 (10.20.0.40) > db-01");
    await picture(target, "insight-page");
  }, 240_000);
});

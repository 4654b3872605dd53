import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { marked } from "marked";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { afterTest } from "../../after-test.js";
import { monitoring } from "../../pictures/monitoring.js";
import { RecordingServer } from "../../pull-request/recording-server.js";
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

  const opened = async (file: string, hash = "", height = 820): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1012, height }, colorScheme: "light" });
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

  it("is shown in the pull request of an access request", async () => {
    const server = await RecordingServer.start("github");
    afterTest(() => server.close());
    const { folder, run } = await monitoring({}, server.environment);
    execFileSync("git", ["init", "--quiet", "--bare", join(folder, "bare")]);
    execFileSync("git", ["remote", "add", "origin", join(folder, "bare")], { cwd: join(folder, "net") });
    const flow = ["--from", "dns-01", "--to", "db-01", "--service", "tcp/5432", "--application", "postgres"];
    const { shown } = await run(
      "allow",
      "firewall",
      ...flow,
      "--reason",
      "CHG-4711",
      "--until",
      "2027-03-31",
      "--propose",
      "--base",
      "main",
    );
    const [request] = server.pullRequests;
    if (request === undefined) throw new Error(shown);
    const file = join(folder, "request.html");
    const text = `# ${request.title}\n\n${request.body}`;
    writeFileSync(file, `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>${await marked(text)}`);
    const page = await opened(file, "", 430);
    expect(await page.getByRole("heading").textContent()).toBe("Allow dns-01 > db-01 tcp/5432 postgres");
    expect(await page.getByText("opens exactly the requested flows").isVisible()).toBe(true);
    await picture(page, "access-pull-request");
  }, 240_000);
});

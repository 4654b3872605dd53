import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import { answered } from "../../agent/page/access-sample.js";
import { PageWorld } from "../../agent/page/world.js";
import { chromiumPath, faultsOf, startBrowser, type Visit, visit } from "./browser.js";

/** The folder for pictures of `npm run screenshots`. Without it they are only taken. */
const KEPT = process.env.PLUMBLINE_SCREENSHOTS === undefined ? undefined : "docs/pictures";
const MOST_BYTES = 60_000;
const TOKENS = { ann: "token-of-ann-0123456789", lead: "token-of-the-lead-0123456789", viewer: "token-of-the-viewer-0123456789" } as const;

/** Name, width, height, theme. */
const PICTURES = [
  ["access-request-1280-light", 1280, 960, "light"],
  ["access-request-1280-dark", 1280, 960, "dark"],
  ["access-request-390-light", 390, 1600, "light"],
  ["access-request-390-dark", 390, 1600, "dark"],
] as const;
const IN_DOCS: readonly string[] = ["access-request-1280-light", "access-request-1280-dark"];

describe.skipIf(chromiumPath === undefined)("the form for access requests", () => {
  let browser: Browser;
  let world: PageWorld;
  beforeAll(async () => {
    browser = await startBrowser();
    world = await PageWorld.start({
      people: {
        tokens: Object.entries(TOKENS).map(([name, token]) => ({ name, secret: new SecretValue(token, "${env:T}") })),
        rights: [
          { roles: ["request"], tokens: ["ann"], targets: ["fra-edge-*"] },
          { roles: ["request"], tokens: ["lead"] },
          { roles: ["read"], tokens: ["viewer"] },
          { roles: ["read"], visitors: true },
        ],
      },
      answerAccess: async (question) => answered(question),
    });
  });
  afterAll(async () => {
    await browser.close();
    await world.close();
  });

  const signedIn = async (name: keyof typeof TOKENS, options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
    const opened = await visit(browser, `${world.url}#/access?target=fra-edge-b`, options);
    await opened.page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await opened.page.getByRole("dialog").getByLabel("Token").fill(TOKENS[name]);
    await opened.page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
    await opened.page.getByText(`Signed in as ${name}.`).waitFor();
    return opened;
  };
  const fill = async (page: Page, values: Readonly<Record<string, string>> = {}): Promise<void> => {
    const all = { From: "web-01", To: "db-01", Service: "tcp/22", Application: "ssh", Reason: "CHG-4711", ...values };
    for (const [label, value] of Object.entries(all)) await page.getByLabel(new RegExp(`^${label}\\b`)).fill(value);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("region", { name: "Answer" }).waitFor();
  };

  it("shows the answer and the design before it proposes, and then the pull request", async () => {
    const { page, complaints, elsewhere, close } = await signedIn("ann");
    expect(await page.getByLabel("Target").inputValue()).toBe("fra-edge-b");
    expect(await page.getByLabel("Target").locator("option").allTextContents()).toEqual(["fra-edge-a", "fra-edge-b"]);
    await fill(page);
    const answer = page.getByRole("region", { name: "Answer" });
    expect(await answer.innerText()).toMatch(/Not allowed now\s+web-01 \(web\) → db-01 \(db\) · tcp\/22 · ssh\s+fra-edge-b vsys1/);
    await answer.getByText("deny-all  edge/rules/security.yaml:72").waitFor();
    expect(await answer.getByRole("radio").count()).toBe(2);
    expect(await answer.locator(".patch").innerText()).toContain("+        - name: web-01-to-db-01-ssh");
    expect(await faultsOf(page)).toEqual([]);
    await answer.getByRole("button", { name: "Propose pull request" }).click();
    const link = answer.getByRole("link", { name: "https://git.example.com/net/pulls/12" });
    expect(await link.getAttribute("href")).toBe("https://git.example.com/net/pulls/12");
    expect(await answer.getByRole("button", { name: "Propose pull request" }).count()).toBe(0);
    await page.getByRole("textbox", { name: "Service" }).fill("tcp/5432");
    expect(await answer.count()).toBe(0);
    await page.getByRole("button", { name: "Check" }).click();
    await answer.getByText("Already allowed").waitFor();
    expect(await answer.getByText("web-to-db").first().isVisible()).toBe(true);
    expect(await answer.getByRole("button", { name: /Propose/ }).count()).toBe(0);
    expect([complaints, elsewhere]).toEqual([[], []]);
    await close();
  });

  it("follows the path of a flow through all targets, and proposes their edits together", async () => {
    const { page, complaints, close } = await signedIn("lead");
    await page.getByLabel("Target").selectOption("");
    await fill(page);
    const answer = page.getByRole("region", { name: "Answer" });
    const hops = answer.locator(".access-hop");
    expect(await hops.count()).toBe(2);
    expect(await hops.nth(0).innerText()).toMatch(
      /Already allowed\s+web-01 \(server web-01\) → db-01 \(router r1\).*\s+cloud-west project/,
    );
    expect(await hops.nth(1).innerText()).toContain("Other designs: add ssh to application of rule web-to-db");
    expect(await hops.nth(1).getByRole("radio").count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    await answer.getByRole("button", { name: "Propose pull request" }).click();
    await answer.getByRole("link", { name: "https://git.example.com/net/pulls/12" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("proposes a design that opens more only after a separate acceptance", async () => {
    const { page, close } = await signedIn("ann");
    await fill(page);
    const answer = page.getByRole("region", { name: "Answer" });
    await answer.getByRole("radio").nth(1).check();
    await answer.getByText("Accept the flows outside the request").waitFor();
    const propose = answer.getByRole("button", { name: "Propose pull request" });
    expect(await propose.isDisabled()).toBe(true);
    await answer.getByRole("checkbox").check();
    await answer.locator(".patch", { hasText: "[postgres, ssh]" }).waitFor();
    expect(await propose.isDisabled()).toBe(false);
    await close();
  });

  it("shows a refusal as text", async () => {
    const { page, close } = await signedIn("ann");
    await fill(page, { Service: "tcp/1" });
    await page.getByText("It contradicts assertion no-access: <b>nobody</b>").waitFor();
    expect(await page.locator(".access-answer b", { hasText: "nobody" }).count()).toBe(0);
    await close();
  });

  it("is not offered without the role", async () => {
    const { page, close } = await signedIn("viewer");
    await page.getByText("Access requests need the role request on a target with rules.").waitFor();
    expect(await page.getByRole("button", { name: "Check" }).count()).toBe(0);
    await close();
  });

  it.each(PICTURES)("fits into %s", async (name, width, height, colorScheme) => {
    const { page, close } = await signedIn("ann", { viewport: { width, height }, colorScheme });
    await fill(page);
    await page.locator(".toast.is-gone").waitFor({ state: "attached" });
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 60 });
    const bytes = Buffer.from(data, "base64");
    expect(bytes.length).toBeLessThan(MOST_BYTES);
    if (KEPT !== undefined && IN_DOCS.includes(name)) {
      mkdirSync(KEPT, { recursive: true });
      writeFileSync(join(KEPT, `${name}.webp`), bytes);
    }
    const look = process.env.PLUMBLINE_LOOK;
    if (look !== undefined) await page.screenshot({ path: join(look, `${name}.png`) });
    await close();
  });
});

import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { renderHtml } from "../../src/report/html.js";
import { plain } from "../../src/report/style.js";
import { renderText } from "../../src/report/text.js";
import { outcome, planOf } from "./outcomes.js";

const words = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

describe("renderHtml", () => {
  it("shows the same as the terminal, with colours, on a page that loads and executes nothing", () => {
    const outcomes = [outcome({ plan: planOf() })];
    const html = renderHtml("plan", outcomes);
    const [, pre = ""] = /<pre>([\s\S]*)<\/pre>/.exec(html) ?? [];
    expect(words(pre)).toBe(renderText("plan", outcomes, plain));
    expect(pre).toContain('<span class="green">');
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|src=|href=/);
    expect(words(html)).toContain("Nothing was written.");
  });

  it("does not interpret names as tags, or numbers in names as colours", () => {
    const odd = "<script>alert(1)</script>\u00010\u0002\u000199\u0002&";
    const html = renderHtml("plan", [outcome({ target: odd, error: new PlumblineError("tls-untrusted", odd, { next: odd }) })]);
    expect(html).not.toContain("<script");
    expect(html).toContain("&lt;script&gt;");
    expect(html).not.toMatch(/[\u0001\u0002]/);
  });
});

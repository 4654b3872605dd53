import { createHash } from "node:crypto";
import { redactUrls } from "../../core/redact-urls.js";
import type { Assets } from "./assets.js";
import type { StaticView } from "./view.js";

/** Returns the page as one document that needs no server. It contains script, style and data, and its policy blocks everything else. */
export function staticPage(assets: Assets, view: StaticView): string {
  const { script, style } = assets;
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    `<meta http-equiv="content-security-policy" content="${policy}">`,
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>Plumbline</title>\n<style>${style}</style>\n</head>\n<body>\n<div id="app"></div>`,
    `<script type="application/json" id="data">${dataText(view)}</script>`,
    `<script>${script}</script>\n</body>\n</html>\n`,
  ].join("\n");
}

/** Escapes JSON, so that no text can end the script element. */
function dataText(view: StaticView): string {
  return redactUrls(JSON.stringify(view)).replaceAll("<", "\\u003c");
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

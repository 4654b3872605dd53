import { STATUS_CODES } from "node:http";
import type { Json } from "../../../core/json/value.js";
import { writeJson } from "../../../core/json/write.js";
import { pythonText } from "../json/python.js";
import type { ControllerError } from "../world/controller-error.js";
import { hrefOf } from "../world/render.js";

export interface ContrailReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const HTML = "text/html; charset=UTF-8";

export function json(value: Json, headers: Readonly<Record<string, string>> = {}): ContrailReply {
  return { status: 200, headers: { "content-type": "application/json", ...headers }, text: writeJson(value) };
}

/** Response of the controller. */
export function text(status: number, content: string, headers: Readonly<Record<string, string>> = {}): ContrailReply {
  return { status, headers: { "content-type": HTML, ...headers }, text: content };
}

export const NOTHING: ContrailReply = text(200, "");
export const NOT_MODIFIED: ContrailReply = { status: 304, headers: {}, text: "" };

/** Text with the content type of HTML, which the controller uses for most errors and empty responses. */
export function refusal({ status, message, form, objects }: ControllerError, base: string, url: string): ContrailReply {
  switch (form) {
    case "text":
      return text(status, objects === undefined ? message : `${message}${pythonText(objects.map((each) => hrefOf(base, each)))}`);
    case "page":
      return text(status, page(status, `${base}${url}`, message));
    case "plain":
      return { status, headers: { "content-type": "text/plain" }, text: message };
    case "keystone":
      return {
        status,
        headers: { "content-type": "application/json", "www-authenticate": `Keystone uri="${base}"` },
        text: writeJson({ error: { code: status, title: STATUS_CODES[status] ?? "", message } }),
      };
  }
}

/** The error page of the controller's web framework, with its white space. */
function page(status: number, url: string, message: string): string {
  const title = `Error: ${status} ${STATUS_CODES[status] ?? ""}`;
  return `
    <!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">
    <html>
        <head>
            <title>${title}</title>
            <style type="text/css">
              html {background-color: #eee; font-family: sans;}
              body {background-color: #fff; border: 1px solid #ddd;
                    padding: 15px; margin: 15px;}
              pre {background-color: #eee; border: 1px solid #ddd; padding: 5px;}
            </style>
        </head>
        <body>
            <h1>${title}</h1>
            <p>Sorry, the requested URL <tt>&#039;${escapeHtml(url)}&#039;</tt>
               caused an error:</p>
            <pre>${escapeHtml(message)}</pre>
        </body>
    </html>
`;
}

function escapeHtml(content: string): string {
  return content
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&#034;")
    .replaceAll("'", "&#039;");
}

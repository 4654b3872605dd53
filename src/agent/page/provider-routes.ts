import { PlumblineError } from "../../core/errors.js";
import type { Flow, Provider } from "./provider.js";
import type { PageReply } from "./reply.js";
import { awayCookie } from "./request-auth.js";
import { forAnybody, type Given, type Route } from "./routes.js";
import { openSession, SIGN_IN_AGAIN, type SigningInParts } from "./signing-in.js";

/** Seconds until a sign-in at the provider must be complete. */
const AWAY = 900;
/** Location on the page: the part of the address after `#`. The pattern excludes addresses of other sites. */
const PLACE = /^#\/[\w!$&'()*+,;=:@/?%.~-]{0,1000}$/;

interface Away extends Flow {
  readonly back: string;
}

/** Routes to the provider and back. */
export function providerRoutes(provider: Provider, parts: SigningInParts): Readonly<Record<"start" | "callback", Route>> {
  return {
    start: forAnybody((given) => saying(given, parts, () => start(given, provider, parts))),
    callback: forAnybody((given) => saying(given, parts, () => finishSignIn(given, provider, parts))),
  };
}

async function start({ clientRequest, away }: Given, provider: Provider, { sessions }: SigningInParts): Promise<PageReply> {
  const { url, flow } = await provider.begin(away === SIGN_IN_AGAIN);
  const back = clientRequest.query.get("back") ?? "";
  const content: Away = { ...flow, back: PLACE.test(back) ? back : "#/" };
  return goTo(url, [awayCookie(sessions.give(content, AWAY * 1000), AWAY, clientRequest.client)]);
}

async function finishSignIn(given: Given, provider: Provider, parts: SigningInParts): Promise<PageReply> {
  const { clientRequest } = given;
  const away = parts.sessions.taken<Away>(given.away);
  if (away === undefined) {
    throw new PlumblineError("page-sign-in-refused", "This sign-in was not begun in this browser, or too long ago.", {
      next: "Go back to the page and sign in again.",
    });
  }
  const { subject, name, groups } = await provider.end(clientRequest.query, away);
  const identity = { how: "provider", subject, name, groups: parts.people.groupsThatCount(groups) } as const;
  const { cookie } = await openSession(identity, provider.recheck, given, parts);
  return goTo(`/${away.back}`, [cookie, awayCookie("", 0, clientRequest.client)]);
}

function goTo(location: string, cookies: string[]): PageReply {
  return { status: 303, type: "text/plain", body: "", headers: { location, "set-cookie": cookies, "cache-control": "no-store" } };
}

/** Formats errors as HTML, because a browser opens these addresses directly. */
async function saying({ clientRequest }: Given, { gate }: SigningInParts, work: () => Promise<PageReply>): Promise<PageReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    await gate.failed("provider", error.message, clientRequest);
    const { code, message, next = "" } = error;
    const status = code === "page-provider-unavailable" ? 503 : 403;
    return { status, type: "text/html", body: page(code, `${message} ${next}`), headers: { "cache-control": "no-store" } };
  }
}

function page(code: string, words: string): string {
  const text = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Not signed in</title></head>
<body><main><h1>Not signed in</h1><p>${text}</p><p><a href="/">To the page</a> (${code})</p></main></body>
</html>
`;
}

import { PAGE_ROLES } from "../../desired/configuration/page-schema.js";
import type { Happening } from "../events.js";
import type { Gate } from "./gate.js";
import type { People } from "./people.js";
import type { Provider } from "./provider.js";
import { jsonReply, type PageReply, refusal } from "./reply.js";
import { awayCookie, sessionCookie } from "./request-auth.js";
import { forAnybody, type Given, type Route } from "./routes.js";
import type { SessionContent, Sessions } from "./sessions.js";
import type { SessionView } from "./view.js";

/** Cookie value with which the provider must prompt the user again. */
export const SIGN_IN_AGAIN = "anew";
/** Duration of a session with a token. */
const HOURS = 12;

const NOT_STORED = "Signed out here. The store could not record it, so other agents accept this session until it ends.";

export interface SigningInParts {
  readonly people: People;
  readonly sessions: Sessions;
  readonly gate: Gate;
  readonly provider: Provider | undefined;
  readonly emit: (happening: Happening) => Promise<void>;
}

/** Routes to sign in with a token, to sign out, and to read the session. */
export function signingIn(parts: SigningInParts): Readonly<Record<"session" | "login" | "logout", Route>> {
  return {
    session: forAnybody((given) => jsonReply(sessionView(given, parts))),
    login: forAnybody((given) => signIn(given, parts), true),
    logout: forAnybody((given) => signOut(given, parts)),
  };
}

async function signIn(given: Given, parts: SigningInParts): Promise<PageReply> {
  const { people, gate } = parts;
  const { token, name } = given.body;
  if (!people.takesToken) return refusal(403, "read-only", "No token is configured (docs/page.md).");
  const content = typeof token === "string" ? people.byToken(token) : undefined;
  if (content === undefined) return await gate.wrongToken(given.clientRequest);
  const claimed = typeof name === "string" ? name : "";
  if (content.how === "word" && claimed.trim() === "") return refusal(400, "name-missing", "Enter your name for the history.");
  return await opened(people.calling(content, claimed), HOURS * 3_600_000, given, parts);
}

async function opened(content: SessionContent, milliseconds: number, given: Given, parts: SigningInParts): Promise<PageReply> {
  const made = await openSession(content, milliseconds, given, parts);
  return jsonReply(sessionView(made.given, parts), 200, { "set-cookie": made.cookie });
}

/** Opens a session. Returns its cookie header and the request with the new session. */
export async function openSession(
  content: SessionContent,
  milliseconds: number,
  given: Given,
  { sessions, people, emit }: Omit<SigningInParts, "provider">,
): Promise<{ readonly given: Given; readonly cookie: string }> {
  const { client } = given.clientRequest;
  const cookie = sessions.open(content, milliseconds);
  const person = people.ofSession(content);
  const session = sessions.read(cookie);
  if (person === undefined) throw new Error("a session of nobody");
  // A sign-in closes the previous session.
  await sessions.close(given.cookie);
  await emit({ type: "signed-in", how: content.how, by: person.by, subject: person.subject, address: client.address });
  return { given: { ...given, person, session, cookie }, cookie: sessionCookie(cookie, client) };
}

async function signOut(given: Given, { sessions, emit }: SigningInParts): Promise<PageReply> {
  const { session, person, cookie, clientRequest } = given;
  const { client } = clientRequest;
  const isStored = await sessions.close(cookie);
  if (session !== undefined)
    await emit({ type: "signed-out", how: session.how, by: person.by, subject: person.subject, address: client.address });
  // Another person may sign in next on this machine, so the provider must prompt again.
  const away = awayCookie(SIGN_IN_AGAIN, HOURS * 3600, client);
  return jsonReply({ done: isStored ? "Signed out." : NOT_STORED }, 200, { "set-cookie": [sessionCookie("", client), away] });
}

function sessionView({ person, session, cookie }: Given, { people, sessions, provider }: SigningInParts): SessionView {
  return {
    name: session === undefined ? "" : person.name,
    csrf: session?.csrf ?? "",
    canSignIn: people.takesToken || provider !== undefined,
    takes: { token: people.takesToken, name: people.takesWord },
    provider: provider?.host ?? "",
    askAgain: session === undefined && provider !== undefined && sessions.lapsed(cookie)?.how === "provider",
    may: PAGE_ROLES.filter((role) => person.access.mayEverywhere(role)),
    seesNothing: !person.access.isAny,
  };
}

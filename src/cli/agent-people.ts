import { createHash, scryptSync } from "node:crypto";
import type { OpenAgent } from "../agent/open.js";
import type { WebOptions } from "../agent/page/open.js";
import type { PeopleSettings } from "../agent/page/people.js";
import { peopleInvalid } from "../agent/page/people-errors.js";
import type { SecretValue } from "../core/secret.js";
import type { TokenSettings } from "../desired/configuration/page-settings.js";

/** Returns the accounts and rights of the page, from the settings at the agent's start, and the key that signs sessions. */
export async function peopleOf(opened: OpenAgent): Promise<Pick<WebOptions, "people" | "provider" | "sessionKey">> {
  const { token, tokens, oidc, rights, sessionKey, address } = opened.settings().page;
  const word = await opened.secretAtStart(token, "PLUMBLINE_PAGE_TOKEN");
  const people: WebOptions["people"] = {
    word,
    tokens: await Promise.all(tokens.map(async (each) => ({ name: each.name, secret: await tokenOf(each, opened) }))),
    rights,
  };
  const key = await opened.secretAtStart(sessionKey);
  const provider = oidc && { settings: oidc, secret: await opened.secretAtStart(oidc.clientSecret), address };
  return { people, provider, sessionKey: key === undefined ? await keyOf(people, provider !== undefined, opened) : madeOf(key) };
}

function madeOf(key: SecretValue): Buffer {
  return createHash("sha256").update(`plumbline page session\n${key.reveal()}`).digest();
}

/**
 * If the single page token is the only login, the session key is derived from it, so agents with the same token share sessions. A user who
 * knows the token can only forge sessions of that token.
 */
async function keyOf({ word, tokens }: WebOptions["people"], hasProvider: boolean, opened: OpenAgent): Promise<Buffer> {
  const isAlone = word !== undefined && tokens.length === 0 && !hasProvider;
  return isAlone ? scryptSync(word.reveal(), "plumbline page session", 32) : await opened.sessionKey();
}

async function tokenOf({ name, token, sha256 }: TokenSettings, opened: OpenAgent): Promise<PeopleSettings["tokens"][number]["secret"]> {
  if (sha256 !== undefined) return { sha256 };
  const secret = await opened.secretAtStart(token);
  if (secret === undefined) throw peopleInvalid(`the token ${name} is no reference`);
  return secret;
}

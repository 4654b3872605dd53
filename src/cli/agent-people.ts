import { createHash, scryptSync } from "node:crypto";
import type { OpenAgent } from "../agent/open.js";
import type { PeopleSettings } from "../agent/page/people.js";
import { peopleInvalid } from "../agent/page/people-errors.js";
import type { SecretValue } from "../core/secret.js";
import type { TokenSettings } from "../desired/configuration/page-settings.js";

/** Who may do what on the page, as the settings say that the agent was started with; and what sessions are signed with. */
export async function peopleOf(opened: OpenAgent): Promise<{ readonly people: PeopleSettings; readonly sessionKey: Buffer }> {
  const { token, tokens, oidc, rights, sessionKey } = opened.settings().page;
  const word = await opened.secretAtStart(token, "PLUMBLINE_PAGE_TOKEN");
  const people: PeopleSettings = {
    word,
    tokens: await Promise.all(tokens.map(async (each) => ({ name: each.name, secret: await tokenOf(each, opened) }))),
    provider: oidc === undefined ? undefined : new URL(oidc.issuer).host,
    rights,
  };
  const said = await opened.secretAtStart(sessionKey);
  return { people, sessionKey: await keyOf(said, people, opened) };
}

/** Agents that share nothing but the one token share its sessions. Whoever knows that can make up none but its own. */
async function keyOf(said: SecretValue | undefined, { word, tokens, provider }: PeopleSettings, opened: OpenAgent): Promise<Buffer> {
  if (said !== undefined) return createHash("sha256").update(`plumbline page session\n${said.reveal()}`).digest();
  if (word !== undefined && tokens.length === 0 && provider === undefined) return scryptSync(word.reveal(), "plumbline page session", 32);
  return await opened.sessionKey();
}

async function tokenOf({ name, token, sha256 }: TokenSettings, opened: OpenAgent): Promise<PeopleSettings["tokens"][number]["secret"]> {
  if (sha256 !== undefined) return { sha256 };
  const secret = await opened.secretAtStart(token);
  if (secret === undefined) throw peopleInvalid(`the token ${name} is no reference`);
  return secret;
}

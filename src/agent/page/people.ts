import { timingSafeEqual } from "node:crypto";
import { GlobError } from "../../core/glob.js";
import type { SecretValue } from "../../core/secret.js";
import type { PageSettings, RightSettings } from "../../desired/configuration/page-settings.js";
import { type Access, ALL_RIGHTS, accessOf } from "../../engine/rights.js";
import { digestOf } from "../constant-time.js";
import { peopleInvalid, tokenTooShort } from "./people-errors.js";
import type { Provider } from "./provider.js";
import type { Session, SessionContent, Sessions } from "./sessions.js";

/** User of the page, with their rights. The user is identified by a session or a token, not by a name in the request. */
export interface Person {
  /** Name in the history, with the way of the sign-in. */
  readonly by: string;
  readonly name: string;
  readonly how: SessionContent["how"] | "visitor";
  /** Subject identifier at the provider. */
  readonly subject?: string | undefined;
  readonly access: Access;
}

/** `agent.page`, with resolved secrets. */
export interface PeopleSettings extends Pick<PageSettings, "rights"> {
  /** Shared token with all rights. */
  readonly word: SecretValue | undefined;
  readonly tokens: readonly { readonly name: string; readonly secret: SecretValue | { readonly sha256: string } }[];
  readonly provider: Pick<Provider, "host"> | undefined;
}

/** Minimum number of characters. Shorter tokens can be guessed. */
const SHORTEST = 16;
const MAX_NAME = 40;

/** Users in the settings of the agent. */
export class People {
  readonly #settings: PeopleSettings;
  readonly #sessions: Sessions;
  /** Named tokens, with their SHA-256 digests. */
  readonly #tokens: readonly { readonly name: string; readonly digest: Buffer }[];
  readonly #word: Buffer | undefined;
  readonly visitor: Person;

  /** @throws PlumblineError `page-token-short`, `page-people-invalid` */
  constructor(settings: PeopleSettings, sessions: Sessions) {
    const { word, tokens, rights } = settings;
    this.#settings = settings;
    this.#sessions = sessions;
    this.#word = word === undefined ? undefined : digestOf(longEnough(word));
    this.#tokens = tokens.map(({ name, secret }) => ({
      name,
      digest: "sha256" in secret ? Buffer.from(secret.sha256, "hex") : digestOf(longEnough(secret)),
    }));
    refuseInvalid(settings, [this.#word ?? [], this.#tokens.map(({ digest }) => digest)].flat());
    const isForSigners = ({ signers, ...others }: RightSettings): boolean =>
      signers !== undefined &&
      !("people" in others || "groups" in others || "tokens" in others || "signedIn" in others || "visitors" in others);
    const isOpen = tokens.length === 0 && settings.provider === undefined && rights.every(isForSigners);
    const seen = isOpen ? [{ roles: ["read"] } as const] : rights.filter(({ visitors }) => visitors === true);
    this.visitor = { by: "visitor", name: "", how: "visitor", access: accessOf(seen) };
  }

  /** Whether tokens of single users exist. They are also accepted with each request. */
  get hasTokens(): boolean {
    return this.#tokens.length > 0;
  }

  /** Whether users can sign in with a token. */
  get takesToken(): boolean {
    return this.hasTokens || this.#word !== undefined;
  }

  get takesWord(): boolean {
    return this.#word !== undefined;
  }

  /** Returns the owner of a token. Compares all of them in constant time. */
  byToken(token: string): SessionContent | undefined {
    const digest = digestOf(token);
    const [found] = this.#tokens.filter((each) => timingSafeEqual(each.digest, digest));
    if (found !== undefined) return { how: "token", name: found.name, token: this.#sessions.fingerprint(digest) };
    const isWord = this.#word !== undefined && timingSafeEqual(this.#word, digest);
    return isWord ? { how: "word", name: "", token: this.#sessions.fingerprint(digest) } : undefined;
  }

  /** Adds the name that a user of the shared token enters. The history shows it as unverified. */
  calling(content: SessionContent, name: string): SessionContent {
    return content.how === "word" ? { ...content, name: name.trim().slice(0, MAX_NAME) } : content;
  }

  /** Returns undefined if the credential of the session is no longer valid. */
  ofSession(content: SessionContent | Session): Person | undefined {
    const { how, name, subject } = content;
    if (how === "provider") {
      const { provider } = this.#settings;
      return provider === undefined ? undefined : { by: `${name} (${provider.host})`, name, how, subject, access: this.#accessOf(content) };
    }
    const digest = how === "word" ? this.#word : this.#tokens.find((each) => each.name === name)?.digest;
    if (digest === undefined || this.#sessions.fingerprint(digest) !== content.token) return undefined;
    const by = how === "token" ? `${name} (token)` : `page token${name === "" ? "" : `, says ${JSON.stringify(name)}`}`;
    return { by, name: name === "" ? "page token" : name, how, access: this.#accessOf(content) };
  }

  /** Returns the groups that are used in rights. A cookie cannot hold all groups of a user. */
  groupsThatCount(groups: readonly string[]): readonly string[] {
    const named = new Set(this.#settings.rights.flatMap((right) => right.groups ?? []));
    return groups.filter((group) => named.has(group));
  }

  #accessOf({ how, name, groups = [] }: SessionContent): Access {
    if (how === "word") return accessOf([ALL_RIGHTS]);
    const isNamed = (right: RightSettings): boolean =>
      how === "token"
        ? right.tokens?.includes(name) === true
        : right.people?.includes(name) === true || right.groups?.some((group) => groups.includes(group)) === true;
    const { rights } = this.#settings;
    return accessOf(rights.filter((right) => right.visitors === true || right.signedIn === true || isNamed(right)));
  }
}

function longEnough(token: SecretValue): string {
  const text = token.reveal();
  if (text.length < SHORTEST) throw tokenTooShort(token, SHORTEST);
  return text;
}

function refuseInvalid({ tokens, rights, provider }: PeopleSettings, digests: readonly Buffer[]): void {
  const names = tokens.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw peopleInvalid(`two tokens are called ${twice}`);
  if (new Set(digests.map((digest) => digest.toString("hex"))).size !== digests.length) throw peopleInvalid("two tokens are equal");
  const unknown = rights.flatMap((right) => right.tokens ?? []).find((name) => !names.includes(name));
  if (unknown !== undefined) throw peopleInvalid(`rights: names the token ${unknown}, which tokens: does not have`);
  const needsProvider = rights.some(({ groups, people }) => groups !== undefined || people !== undefined);
  if (needsProvider && provider === undefined) throw peopleInvalid("rights: names groups or people, which requires oidc:");
  if (rights.some(({ visitors, roles }) => visitors === true && roles.some((role) => role !== "read")))
    throw peopleInvalid("rights: allows visitors more than reading");
  if ((tokens.length > 0 || provider !== undefined) && rights.length === 0) throw peopleInvalid("tokens: or oidc: is set without rights:");
  try {
    accessOf(rights);
  } catch (error) {
    if (error instanceof GlobError) throw peopleInvalid(`a pattern of targets in rights: ${error.message}`);
    throw error;
  }
}

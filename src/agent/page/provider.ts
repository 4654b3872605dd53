import type { Configuration } from "openid-client";
import { PlumblineError } from "../../core/errors.js";
import { isPlaintext } from "../../core/plaintext-http.js";
import type { SecretValue } from "../../core/secret.js";
import type { ProviderSettings } from "../../desired/configuration/page-settings.js";
import { peopleInvalid } from "./people-errors.js";

export interface ProviderOptions {
  readonly settings: ProviderSettings;
  readonly secret: SecretValue | undefined;
  /** Public address of the page. */
  readonly address: string | undefined;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
}

/** Values that must be the same after the sign-in. The browser keeps them in a cookie. */
export interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Claims of the provider about a user. */
export interface Provided {
  /** Permanent identifier of the user. */
  readonly subject: string;
  readonly name: string;
  readonly groups: readonly string[];
}

type Library = typeof import("openid-client");

/** Maximum seconds per request. */
const TIMEOUT = 10;
/** Milliseconds without requests to a provider that did not answer. */
const LEFT_ALONE = 5_000;
/** Maximum number of characters of a name. */
const LONGEST_NAME = 100;
/** Control and formatting characters, line separators, and code points without a character. */
const NOT_IN_NAMES = /[\p{C}\p{Zl}\p{Zp}]/u;

/** OpenID Connect provider. Uses the authorization code flow with state, nonce and PKCE. Its metadata is read at the first sign-in. */
export class Provider {
  readonly #options: ProviderOptions;
  readonly #redirect: string;
  #known: Promise<{ readonly library: Library; readonly configuration: Configuration }> | undefined;
  #failed = Number.NEGATIVE_INFINITY;

  /** @throws PlumblineError `page-people-invalid` */
  constructor(options: ProviderOptions) {
    const { settings, address } = options;
    if (address === undefined) throw peopleInvalid("oidc: needs address:, to which the provider sends people back");
    if (isPlaintext(settings.issuer)) throw peopleInvalid("the issuer of oidc: is reached by plain http on another machine");
    this.#options = options;
    this.#redirect = `${address}/login/callback`;
  }

  /** Host name, for display. */
  get host(): string {
    return new URL(this.#options.settings.issuer).host;
  }

  /** Milliseconds after which a user must sign in again. */
  get recheck(): number {
    return this.#options.settings.recheck;
  }

  /**
   * Returns the address for the sign-in, and the values to check afterwards. `signInAgain`: the provider prompts even if the user is signed in
   * there. @throws PlumblineError `page-provider-unavailable`
   */
  async begin(signInAgain: boolean): Promise<{ readonly url: string; readonly flow: Flow }> {
    const { library, configuration } = await this.#open();
    const flow = { state: library.randomState(), nonce: library.randomNonce(), verifier: library.randomPKCECodeVerifier() };
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirect,
      scope: this.#options.settings.scopes.join(" "),
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: "S256",
      ...(signInAgain ? { prompt: "login" } : {}),
    });
    return { url: url.href, flow };
  }

  /**
   * Returns the user of a browser that came back with `query`. @throws PlumblineError `page-provider-unavailable`, `page-sign-in-refused`
   */
  async end(query: URLSearchParams, { state, nonce, verifier }: Flow): Promise<Provided> {
    const { library, configuration } = await this.#open();
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await library.authorizationCodeGrant(configuration, new URL(`${this.#redirect}?${query}`), checks);
      const claims = tokens.claims();
      if (claims === undefined) throw new Error("no ID token came");
      return this.#provided(claims.sub, await this.#complete(claims, tokens.access_token, { library, configuration }));
    } catch (error) {
      throw error instanceof PlumblineError ? error : refused(error);
    }
  }

  /** Adds claims of the userinfo endpoint. Some providers return names or groups only there. */
  async #complete(
    claims: Readonly<Record<string, unknown>> & { readonly sub: string },
    accessToken: string,
    { library, configuration }: { readonly library: Library; readonly configuration: Configuration },
  ): Promise<Readonly<Record<string, unknown>>> {
    const { nameClaim, groupsClaim } = this.#options.settings;
    const isComplete = claims[nameClaim] !== undefined && claims[groupsClaim] !== undefined;
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    // Claims of the signed ID token have precedence.
    return { ...(await library.fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
  }

  #provided(subject: string, claims: Readonly<Record<string, unknown>>): Provided {
    const { nameClaim, groupsClaim } = this.#options.settings;
    const name = usableName(claims[nameClaim], nameClaim);
    const groups = [claims[groupsClaim] ?? []].flat().filter((group): group is string => typeof group === "string");
    return { subject, name, groups };
  }

  async #open(): Promise<{ readonly library: Library; readonly configuration: Configuration }> {
    const { monotonic } = this.#options;
    if (this.#known === undefined && monotonic() - this.#failed < LEFT_ALONE) throw unavailable(this.host, undefined);
    this.#known ??= this.#discover();
    try {
      return await this.#known;
    } catch (error) {
      this.#known = undefined;
      this.#failed = monotonic();
      throw unavailable(this.host, error);
    }
  }

  async #discover(): Promise<{ readonly library: Library; readonly configuration: Configuration }> {
    const { settings, secret } = this.#options;
    const library = await import("openid-client");
    const authentication = secret === undefined ? library.None() : library.ClientSecretBasic(secret.reveal());
    const execute = settings.issuer.startsWith("http:") ? [library.allowInsecureRequests] : [];
    const issuer = new URL(settings.issuer);
    const configuration = await library.discovery(issuer, settings.clientId, undefined, authentication, { execute, timeout: TIMEOUT });
    return { library, configuration };
  }
}

/**
 * Returns the claim unchanged. Rights compare names exactly, so a name is never trimmed, cut or taken from another claim.
 * @throws PlumblineError `page-sign-in-refused`
 */
function usableName(name: unknown, claim: string): string {
  const problem = problemOf(name);
  if (problem === undefined && typeof name === "string") return name;
  throw new PlumblineError("page-sign-in-refused", `The claim ${claim} of the provider ${problem}.`, {
    next: "Correct the account at the provider, or set nameClaim of agent.page.oidc to a claim that every account has.",
  });
}

function problemOf(name: unknown): string | undefined {
  if (name === undefined) return "is missing";
  if (typeof name !== "string") return "is not text";
  if (name === "") return "is empty";
  if (name.trim() !== name) return "starts or ends with white space";
  if (NOT_IN_NAMES.test(name)) return "contains a control character";
  return name.length > LONGEST_NAME ? `is longer than ${LONGEST_NAME} characters` : undefined;
}

function unavailable(host: string, cause: unknown): PlumblineError {
  const why = cause === undefined ? "it did not answer a moment ago" : wordsOf(cause);
  return new PlumblineError("page-provider-unavailable", `${host} cannot identify you: ${why}.`, {
    next: "Try again soon; a token (agent.page.tokens) signs in without the provider.",
    cause,
  });
}

function refused(cause: unknown): PlumblineError {
  return new PlumblineError("page-sign-in-refused", `The sign-in did not hold: ${wordsOf(cause)}.`, {
    next: "Go back to the page and sign in again.",
    cause,
  });
}

/** Returns the message of the library and the error code of the provider. */
function wordsOf(cause: unknown): string {
  const { message, error, code } = cause as { message?: unknown; error?: unknown; code?: unknown };
  const words = [message, error ?? code].filter((part) => typeof part === "string" && part !== "");
  return [...new Set(words)].join(", ").slice(0, 200);
}

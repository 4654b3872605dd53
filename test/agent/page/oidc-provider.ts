import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export const CLIENT = { id: "plumbline", secret: "client-secret-0123456789" };

/** Accounts that may sign in, by login name. Every password is accepted. */
export type Accounts = Map<string, Account>;

interface Account {
  readonly groups: readonly string[];
  /** The claim `preferred_username`, if it differs from the login name. */
  readonly username?: unknown;
}

/** A real provider of OpenID Connect on loopback, with the forms that it brings for development. */
export class RunningProvider {
  readonly accounts: Accounts;
  readonly issuer: string;
  readonly #server: Server;

  private constructor(issuer: string, server: Server, accounts: Accounts) {
    this.issuer = issuer;
    this.#server = server;
    this.accounts = accounts;
  }

  /** `page`: address of the page. `wholeToken`: the ID token contains all claims, so the user info endpoint is not needed. */
  static async start(page: string, accounts: Accounts, wholeToken = false): Promise<RunningProvider> {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const provider = quietly(
      () =>
        new Provider(issuer, {
          clients: [
            {
              client_id: CLIENT.id,
              client_secret: CLIENT.secret,
              redirect_uris: [`${page}/login/callback`],
              id_token_signed_response_alg: "ES256",
            },
          ],
          jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256" }] },
          cookies: { keys: [randomBytes(16).toString("hex")] },
          claims: { openid: ["sub"], profile: ["preferred_username"], groups: ["groups"] },
          conformIdTokenClaims: !wholeToken,
          ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 3600, Grant: 3600 },
          findAccount: (_context: unknown, id: string) =>
            accounts.has(id)
              ? { accountId: id, claims: () => ({ sub: id, preferred_username: id, ...claimsOf(accounts.get(id)) }) }
              : undefined,
        }),
    );
    const answer = provider.callback();
    server.on("request", (request, response) => void answer(request, response));
    return new RunningProvider(issuer, server, accounts);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

function claimsOf(account: Account | undefined): Readonly<Record<string, unknown>> {
  if (account === undefined) return {};
  const { groups } = account;
  return "username" in account ? { groups, preferred_username: account.username } : { groups };
}

/** The provider warns about settings that a test wants: development forms and an in-memory store. */
function quietly<T>(work: () => T): T {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return work();
  } finally {
    console.warn = warn;
  }
}

/** A browser without a window. It keeps cookies, follows redirects and fills in the provider's forms. */
export class Wanderer {
  /** Cookies by host and name. */
  readonly #cookies = new Map<string, Map<string, string>>();

  async ask(address: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(address);
    const own = this.#cookies.get(host) ?? new Map<string, string>();
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string> | undefined), ...(cookie === "" ? {} : { cookie }) };
    const reply = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const line of reply.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/s);
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) own.delete(name);
      else own.set(name, value);
    }
    this.#cookies.set(host, own);
    return reply;
  }

  cookie(address: string, name: string): string | undefined {
    return this.#cookies.get(new URL(address).host)?.get(name);
  }

  keep(address: string, name: string, value: string): void {
    this.#cookies.get(new URL(address).host)?.set(name, value);
  }

  /**
   * Follows redirects and forms until `stop` returns true or there is no next step; signs in as `name`. Returns the last address and reply.
   */
  async go(address: string, name: string, stop: (address: string) => boolean = () => false): Promise<{ address: string; reply: Response }> {
    let [at, init]: [string, RequestInit] = [address, {}];
    for (let steps = 0; steps < 20; steps++) {
      if (stop(at)) break;
      const reply = await this.ask(at, init);
      const location = reply.headers.get("location");
      init = {};
      if (location !== null) at = new URL(location, at).href;
      else {
        const text = reply.headers.get("content-type")?.startsWith("text/html") === true ? await reply.clone().text() : "";
        const [, action] = /<form[^>]* action="([^"]*)"/.exec(text) ?? [];
        const hidden = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, key = "", value = ""]) => [
          key,
          value,
        ]);
        if (action === undefined || hidden.length === 0) return { address: at, reply };
        at = new URL(action, at).href;
        const typed = text.includes('name="login"')
          ? [
              ["login", name],
              ["password", "any"],
            ]
          : [];
        const body = new URLSearchParams([...hidden, ...typed]);
        init = { method: "POST", body };
      }
    }
    return { address: at, reply: new Response() };
  }
}

import { proxyOf, settingsOf } from "../../core/environment-proxy.js";
import { isPlaintext } from "../../core/plaintext-http.js";
import { readRegularFile } from "../../core/regular-file.js";
import { SecretUnavailable, textAt } from "./unavailable.js";

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 1_048_576;
const KUBERNETES_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/**
 * Reads secrets from the key-value engine (version 2) of Vault, or of a compatible server. Only the environment contains its address and
 * the login, in Vault's own variables. A commit contains only paths.
 */
export class Vault {
  readonly #environment: Environment;
  readonly #known = new Map<string, Promise<unknown>>();
  #token: Promise<string> | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /**
   * Reads a key of the secret at an API path, such as `secret/data/firewall`.
   *
   * @throws SecretUnavailable
   */
  async read(path: string, key: string): Promise<string> {
    if (!/^[^\s?#%\\]+$/.test(path) || path.split("/").some((step) => step === "" || step === "." || step === ".."))
      throw new SecretUnavailable("it is not a path of a secret, such as secret/data/firewall");
    const known = this.#known.get(path) ?? this.#secret(path);
    this.#known.set(path, known);
    return textAt(await known, [key], "the secret");
  }

  async #secret(path: string): Promise<unknown> {
    this.#token ??= this.#logIn();
    const reply = await this.#request("GET", path, await this.#token);
    const held = (reply as { readonly data?: { readonly data?: unknown } } | null)?.data?.data;
    if (typeof held !== "object" || held === null)
      throw new SecretUnavailable("there is no secret of version 2 of the engine, whose paths have data/ in them");
    return held;
  }

  /** Logs in with the first credential in the environment: a token, an AppRole, or the pod's service account. */
  async #logIn(): Promise<string> {
    const { VAULT_TOKEN, VAULT_ROLE_ID, VAULT_SECRET_ID, VAULT_ROLE, VAULT_AUTH_PATH, VAULT_K8S_TOKEN_FILE } = this.#environment;
    if (isGiven(VAULT_TOKEN)) return VAULT_TOKEN.trim();
    if (isGiven(VAULT_ROLE_ID) && isGiven(VAULT_SECRET_ID))
      return await this.#exchange(VAULT_AUTH_PATH ?? "approle", { role_id: VAULT_ROLE_ID, secret_id: VAULT_SECRET_ID });
    if (!isGiven(VAULT_ROLE))
      throw new SecretUnavailable("no credentials are set: VAULT_TOKEN, VAULT_ROLE_ID with VAULT_SECRET_ID, or VAULT_ROLE");
    const file = VAULT_K8S_TOKEN_FILE ?? KUBERNETES_TOKEN;
    const jwt = await readRegularFile(file, MOST_BYTES).catch(() => {
      throw new SecretUnavailable(`the token of the pod's account, ${file}, cannot be read`);
    });
    return await this.#exchange(VAULT_AUTH_PATH ?? "kubernetes", { role: VAULT_ROLE, jwt: jwt.toString("utf8").trim() });
  }

  async #exchange(mount: string, credentials: Readonly<Record<string, string>>): Promise<string> {
    const reply = await this.#request("POST", `auth/${mount}/login`, undefined, credentials);
    const token = (reply as { readonly auth?: { readonly client_token?: unknown } } | null)?.auth?.client_token;
    if (typeof token !== "string" || token === "") throw new SecretUnavailable("the log-in at Vault gave no token");
    return token;
  }

  async #request(method: "GET" | "POST", path: string, token: string | undefined, payload?: object): Promise<unknown> {
    const { VAULT_ADDR, VAULT_NAMESPACE, VAULT_CACERT } = this.#environment;
    const address = addressOf(VAULT_ADDR);
    const { Agent, ProxyAgent, request } = await import("undici");
    const ca = isGiven(VAULT_CACERT) ? await authorityOf(VAULT_CACERT) : undefined;
    const proxy = proxyOf(address, this.#environment);
    const tls = { timeout: TIMEOUT_MS, ...(ca === undefined ? {} : { ca }) };
    const dispatcher =
      proxy === undefined
        ? new Agent({ maxResponseSize: MOST_BYTES, connect: tls })
        : new ProxyAgent({ ...settingsOf(proxy), maxResponseSize: MOST_BYTES, requestTls: tls });
    const headers = {
      "x-vault-request": "true",
      ...(token === undefined ? {} : { "x-vault-token": token }),
      ...(isGiven(VAULT_NAMESPACE) ? { "x-vault-namespace": VAULT_NAMESPACE } : {}),
    };
    const body = payload === undefined ? null : JSON.stringify(payload);
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const reply = await request(`${address}/v1/${path}`, { method, headers, body, dispatcher, signal });
      // The body may repeat the request, so errors do not contain it.
      if (reply.statusCode !== 200)
        throw new SecretUnavailable(`${address} answered ${reply.statusCode}${MEANINGS[reply.statusCode] ?? ""}`);
      return await reply.body.json();
    } catch (cause) {
      if (cause instanceof SecretUnavailable) throw cause;
      const { code, name } = cause as { readonly code?: string; readonly name?: string };
      throw new SecretUnavailable(`${address} is unreachable (${code ?? name ?? "unknown"})`);
    } finally {
      await dispatcher.destroy();
    }
  }
}

const MEANINGS: Readonly<Record<number, string>> = {
  400: " (the log-in or the path is wrong)",
  403: " (our token may not read this)",
  404: " (there is no such secret)",
  503: " (it is sealed)",
};

function addressOf(text: string | undefined): string {
  if (!isGiven(text)) throw new SecretUnavailable("VAULT_ADDR is not set");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new SecretUnavailable("VAULT_ADDR is not an address of the form https://host:port");
  if (isPlaintext(text))
    throw new SecretUnavailable(`VAULT_ADDR is not encrypted: credentials would be sent to ${url.origin} in plain text`);
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

async function authorityOf(file: string): Promise<string> {
  const bytes = await readRegularFile(file, MOST_BYTES).catch(() => {
    throw new SecretUnavailable(`the certificate authority ${file} (VAULT_CACERT) cannot be read`);
  });
  return bytes.toString("utf8");
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}

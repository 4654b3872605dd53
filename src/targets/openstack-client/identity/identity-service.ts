import type { Clock } from "../../../core/clock.js";
import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, textAt } from "../../../core/json/value.js";
import { Lazy } from "../../../core/lazy.js";
import { SecretValue } from "../../../core/secret.js";
import { headerOf } from "../../../http/message.js";
import { discover, type ServiceAddress, splitAddress } from "../catalog/service-addresses.js";
import type { Caller } from "../client/caller.js";
import { OpenstackError } from "../client/openstack-error.js";
import { listPages } from "../client/pages.js";
import type { OpenstackReply } from "../client/reply.js";
import { encodePath, type OpenstackRequest } from "../client/request.js";
import { encodeBody } from "../client/secrets.js";
import type { Login } from "../clouds/login.js";
import type { CloudSettings } from "../clouds/settings.js";
import type { CloudSession, Project } from "./cloud-session.js";
import { loginBodyV2, readTokenV2 } from "./login-v2.js";
import { loginBodyV3, readTokenV3 } from "./login-v3.js";

/** A token is renewed two minutes before it expires, or after nine tenths of its lifetime, whichever is later. In milliseconds. */
const RENEW_BEFORE = 120_000;
const RENEW_SHARE = 0.1;

const WITHOUT_TOKEN: CloudSession = { token: undefined, project: undefined, user: undefined, roles: [], endpoints: [], renewAt: undefined };

/** Logs in to the identity service of a cloud (v3 or v2.0), and lists the account's projects. */
export class IdentityService {
  readonly #settings: CloudSettings;
  readonly #caller: Caller;
  readonly #clock: Clock;
  readonly #target: string;
  readonly #address = new Lazy(() => this.#find());

  constructor(settings: CloudSettings, caller: Caller, clock: Clock, target: string) {
    this.#settings = settings;
    this.#caller = caller;
    this.#clock = clock;
    this.#target = target;
  }

  /**
   * Returns the address of the version to use: the configured one, otherwise that in the URL, otherwise the best that the service offers.
   */
  address(): Promise<ServiceAddress> {
    return this.#address.get();
  }

  /**
   * Logs in and returns a session.
   * @throws PlumblineError `cloud-login-refused`, `token-not-scoped`
   */
  async logIn(): Promise<CloudSession> {
    const { login } = this.#settings;
    if (login.by === "none") return WITHOUT_TOKEN;
    const address = await this.address();
    const isV2 = address.version === "v2.0";
    const started = this.#clock.now();
    const reply = await this.#post(address, isV2 ? ["tokens"] : ["auth", "tokens"], this.#body(login, isV2));
    const { lifetime, ...said } = isV2 ? readTokenV2(reply.body) : { ...readTokenV3(reply.body), id: headerOf(reply, "x-subject-token") };
    const { id, ...session } = said;
    if (id === undefined) throw this.#noToken(address);
    if (session.project === undefined) throw this.#notScoped();
    // A token that was created from another token expires with it and cannot be renewed.
    const isRenewed = login.by !== "token" && lifetime !== undefined;
    const renewAt = isRenewed ? started + lifetime - Math.min(RENEW_BEFORE, lifetime * RENEW_SHARE) : undefined;
    return { ...session, token: new SecretValue(id, "«token»"), renewAt };
  }

  /** Lists the account's projects: `GET /v3/auth/projects`, or `GET /v2.0/tenants/` in v2.0. */
  async projects(request: (request: OpenstackRequest) => Promise<OpenstackReply>, target: string): Promise<Project[]> {
    const isV2 = (await this.address()).version === "v2.0";
    const list = isV2
      ? ({ service: "identity", path: ["tenants", ""], collection: "tenants" } as const)
      : ({ service: "identity", path: ["auth", "projects"], collection: "projects" } as const);
    return (await listPages(list, request, target)).map(projectOf);
  }

  async #find(): Promise<ServiceAddress> {
    const { authUrl, identityVersion } = this.#settings;
    if (authUrl === undefined) throw this.#noAddress();
    const { origin, root, version } = splitAddress(authUrl);
    const wanted = identityVersion === undefined ? version : identityVersion === "3" ? "v3" : "v2.0";
    const step = wanted ?? (await this.#best(origin, root));
    return { service: "identity", origin, root, version: step, path: `${root}/${step}` };
  }

  async #best(origin: string, root: string): Promise<string> {
    const offered = await discover(this.#caller, "identity", origin, root);
    return !offered.some(({ step }) => step === "v3") && offered.some(({ step }) => step === "v2.0") ? "v2.0" : "v3";
  }

  #body(login: Exclude<Login, { by: "none" }>, isV2: boolean): ReturnType<typeof loginBodyV3> {
    const body = isV2 ? loginBodyV2(login) : loginBodyV3(login);
    if (body !== undefined) return body;
    throw new PlumblineError("cloud-incomplete", "identity v2.0 knows no application credentials", {
      where: { target: this.#target },
      next: "Use a user name and a password, or identity version 3.",
    });
  }

  async #post(address: ServiceAddress, path: readonly string[], body: ReturnType<typeof loginBodyV3>): Promise<OpenstackReply> {
    const { text, secrets } = encodeBody(body);
    try {
      return await this.#caller.call({
        service: "identity",
        origin: address.origin,
        method: "POST",
        path: `${address.path}/${encodePath(path)}`,
        headers: { "content-type": "application/json" },
        body: text,
        words: `POST ${address.version}/${path.join("/")}`,
        secrets,
        // An additional token is harmless.
        repeatable: true,
      });
    } catch (error) {
      throw this.#loginError(error, address);
    }
  }

  #loginError(error: unknown, address: ServiceAddress): unknown {
    const where = { target: this.#target };
    if (error instanceof OpenstackError && LOGIN_REFUSALS.has(error.refusal)) {
      const details = [`HTTP ${error.status}`, error.requestId].filter((part) => part !== undefined).join(", ");
      return new PlumblineError("cloud-login-refused", `${address.origin} refuses the login: ${error.words} (${details})`, {
        where,
        next: `Check user, password, domains and project in ${this.#settings.source}; an application credential may have been deleted.`,
        cause: error,
      });
    }
    if (error instanceof PlumblineError && error.code === "unexpected-http-status")
      return new PlumblineError("identity-version-not-offered", `${address.origin} has no identity ${address.version} at ${address.path}`, {
        where,
        next: `Correct the address of the identity service, or the identity version, in ${this.#settings.source}.`,
      });
    return error;
  }

  #noToken(address: ServiceAddress): PlumblineError {
    return new PlumblineError("reply-not-json", `${address.origin} answered the log-in without a token`, {
      where: { target: this.#target },
      next: "Check the address of the identity service, and that no proxy drops the header X-Subject-Token.",
    });
  }

  #notScoped(): PlumblineError {
    return new PlumblineError("token-not-scoped", "the token has no project: every list would look empty", {
      where: { target: this.#target },
      next: `Name the project in ${this.#settings.source} (project_name and its domain, or project_id).`,
    });
  }

  #noAddress(): PlumblineError {
    return new PlumblineError("cloud-incomplete", `${this.#settings.source} names no identity service`, {
      where: { target: this.#target },
      next: "Add auth_url to the cloud, set OS_AUTH_URL, or write url: of the target.",
    });
  }
}

const LOGIN_REFUSALS: ReadonlySet<string> = new Set(["unauthorized", "forbidden", "not-found", "invalid"]);

function projectOf(item: JsonObject): Project {
  const text = (key: string): string => textAt(item, key) ?? "";
  return { id: text("id"), name: text("name"), description: text("description"), enabled: item.enabled !== false };
}

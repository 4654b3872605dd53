import type { Clock } from "../../../core/clock.js";
import type { JsonObject } from "../../../core/json/value.js";
import { Lazy } from "../../../core/lazy.js";
import type { SecretValue } from "../../../core/secret.js";
import { serviceUrl } from "../catalog/find-endpoint.js";
import { checkMicroversion, checkMicroversionEcho } from "../catalog/microversion.js";
import { type ServiceAddress, ServiceAddresses } from "../catalog/service-addresses.js";
import type { ServiceVersion } from "../catalog/versions.js";
import { findCloud } from "../clouds/find-cloud.js";
import type { CloudSettings } from "../clouds/settings.js";
import type { OpenstackTargetConfiguration } from "../configuration.js";
import type { OpenstackDependencies, OpenstackOptions } from "../dependencies.js";
import type { CloudSession, Project } from "../identity/cloud-session.js";
import { IdentityService } from "../identity/identity-service.js";
import { Caller } from "./caller.js";
import { OpenstackError } from "./openstack-error.js";
import { type ListRequest, listPages } from "./pages.js";
import type { OpenstackReply } from "./reply.js";
import { encodePath, encodeQuery, type OpenstackRequest, requestLine, type ServiceType } from "./request.js";
import { encodeBody } from "./secrets.js";
import { Wire } from "./wire.js";

/** The session of one client. The first request logs in, and the token is renewed before it expires. Concurrent callers share one login. */
class Sessions {
  readonly #logIn: () => Promise<CloudSession>;
  readonly #clock: Clock;
  #session: CloudSession | undefined;
  #pending: Promise<CloudSession> | undefined;

  constructor(logIn: () => Promise<CloudSession>, clock: Clock) {
    this.#logIn = logIn;
    this.#clock = clock;
  }

  async current(): Promise<CloudSession> {
    if (this.#pending !== undefined) return await this.#pending;
    const held = this.#session;
    const isOver = held?.renewAt !== undefined && this.#clock.now() >= held.renewAt;
    return held === undefined || isOver ? await this.#make() : held;
  }

  /** Returns another session than `refused`. Concurrent requests with the same refused token share one login. */
  async renew(refused: CloudSession): Promise<CloudSession> {
    if (this.#pending !== undefined) return await this.#pending;
    return this.#session === undefined || this.#session === refused ? await this.#make() : this.#session;
  }

  #make(): Promise<CloudSession> {
    this.#pending = this.#logIn()
      .then((session) => {
        this.#session = session;
        return session;
      })
      .finally(() => {
        this.#pending = undefined;
      });
    return this.#pending;
  }
}

/** Exceeds the largest list of a cloud. A larger reply is an error. */
const MAX_REPLY_BYTES = 100_000_000;

/** Status for an unsupported microversion. */
const NOT_ACCEPTABLE = 406;

interface Opened {
  readonly settings: CloudSettings;
  readonly wire: Wire;
  readonly identity: IdentityService;
  readonly sessions: Sessions;
  readonly addresses: ServiceAddresses;
  readonly caller: Caller;
}

/**
 * Client for the services of one cloud, scoped to one project. It renews the token before it expires, and once if a service refuses it. It
 * reads addresses from the catalog and all pages of lists, with at most `concurrency` concurrent requests per service. It does nothing
 * before the first call. Only GETs, and requests that certainly had no effect, are retried. A lost reply to a write throws `reply-lost`, so
 * that the caller can check the state first.
 */
export class OpenstackClient {
  readonly #configuration: OpenstackTargetConfiguration;
  readonly #dependencies: OpenstackDependencies;
  readonly #options: OpenstackOptions;
  /** Microversions that a service does not support. */
  readonly #tooOld = new Set<string>();
  readonly #opened = new Lazy(() => this.#openCloud());

  constructor(configuration: OpenstackTargetConfiguration, dependencies: OpenstackDependencies, options: OpenstackOptions = {}) {
    this.#configuration = configuration;
    this.#dependencies = dependencies;
    this.#options = options;
  }

  get target(): string {
    return this.#configuration.name;
  }

  /** Returns the account and its project. Logs in if necessary. Throws `token-not-scoped` if there is no project. */
  async session(): Promise<CloudSession> {
    return await (await this.#opened.get()).sessions.current();
  }

  /** Sends one request. Throws OpenstackError if the service refuses it. */
  async request(request: OpenstackRequest): Promise<OpenstackReply> {
    const { preferred, ...plain } = request;
    if (preferred === undefined || this.#tooOld.has(preferred)) return await this.#authorized(plain);
    try {
      return await this.#authorized(request);
    } catch (error) {
      if (!(error instanceof OpenstackError) || error.status !== NOT_ACCEPTABLE) throw error;
      this.#tooOld.add(preferred);
      return await this.#authorized(plain);
    }
  }

  async #authorized(request: OpenstackRequest): Promise<OpenstackReply> {
    const { sessions } = await this.#opened.get();
    const session = await sessions.current();
    try {
      return await this.#send(request, session);
    } catch (error) {
      if (!(error instanceof OpenstackError) || error.refusal !== "unauthorized" || session.token === undefined) throw error;
      return await this.#send(request, await sessions.renew(session));
    }
  }

  /** Returns the origin of the identity service, with the region if one is configured. */
  async place(): Promise<string> {
    const { identity, settings } = await this.#opened.get();
    const { origin } = await identity.address();
    return settings.region === undefined ? origin : `${origin} in region ${settings.region}`;
  }

  /** Throws `service-not-in-catalog` if the cloud does not offer the service to this account. */
  async demand(service: ServiceType): Promise<void> {
    const { addresses, sessions } = await this.#opened.get();
    await addresses.of(service, await sessions.current());
  }

  /** Reads a complete list. Throws if one page fails, so that a partial list never looks complete. */
  async list(list: ListRequest): Promise<JsonObject[]> {
    const pageSize = list.pageSize ?? this.#configuration.pageSize;
    return await listPages({ ...list, pageSize }, (request) => this.request(request), this.target);
  }

  /** Returns the projects (v2.0: tenants) that the account may use. */
  async projects(): Promise<Project[]> {
    const { identity } = await this.#opened.get();
    return await identity.projects((request) => this.request(request), this.target);
  }

  /** Returns the versions that a service reports. Empty if it reports none. */
  async versions(service: ServiceType): Promise<readonly ServiceVersion[]> {
    const { addresses, sessions } = await this.#opened.get();
    return await addresses.versions(service, await sessions.current());
  }

  /** Returns a valid token for another service of the same cloud. Throws if the cloud uses no tokens. */
  async token(): Promise<SecretValue> {
    return tokenOf(await this.session());
  }

  /** Returns another token than `refused`, which a service refused. Without `refused`, the current token is replaced. */
  async renew(refused?: SecretValue): Promise<SecretValue> {
    const { sessions } = await this.#opened.get();
    const session = await sessions.current();
    if (refused !== undefined && session.token?.reveal() !== refused.reveal()) return tokenOf(session);
    return tokenOf(await sessions.renew(session));
  }

  async close(): Promise<void> {
    await this.#opened.made?.then(
      ({ wire }) => wire.close(),
      () => undefined,
    );
  }

  async #send(request: OpenstackRequest, session: CloudSession): Promise<OpenstackReply> {
    const { addresses, caller, identity } = await this.#opened.get();
    const address = request.service === "identity" ? await identity.address() : await addresses.of(request.service, session);
    if (request.microversion !== undefined)
      checkMicroversion(request.microversion, address, await addresses.versions(request.service, session), this.target);
    const { text, secrets } = request.body === undefined ? { text: undefined, secrets: [] } : encodeBody(request.body);
    const reply = await caller.call({
      service: request.service,
      origin: address.origin,
      method: request.method,
      path: `${address.path}/${encodePath(request.path)}${encodeQuery(request.query)}`,
      headers: headersOf(request, address, session),
      body: text,
      words: requestLine(request),
      secrets: session.token === undefined ? secrets : [...secrets, session.token],
      repeatable: request.method === "GET",
    });
    if (request.microversion !== undefined) checkMicroversionEcho(request.microversion, reply, address, this.target);
    return reply;
  }

  async #openCloud(): Promise<Opened> {
    const { name: target, timeout, concurrency } = this.#configuration;
    const settings = await findCloud(this.#configuration, this.#dependencies);
    if (settings.tls.insecure) this.#dependencies.logger.warn({ target }, "TLS is not verified (insecure)");
    const { tls, clientCertificate } = settings;
    const maxReplyBytes = this.#options.maxReplyBytes ?? MAX_REPLY_BYTES;
    const wire = new Wire({ target, tls, clientCertificate, timeout, concurrency, maxReplyBytes }, this.#dependencies);
    const caller = new Caller(target, wire, this.#dependencies);
    const identity = new IdentityService(settings, caller, this.#dependencies.clock, target);
    return {
      settings,
      wire,
      caller,
      identity,
      sessions: new Sessions(() => identity.logIn(), this.#dependencies.clock),
      addresses: new ServiceAddresses((service, session) => serviceUrl(service, session, settings, target), caller, target),
    };
  }
}

function tokenOf({ token }: CloudSession): SecretValue {
  if (token === undefined) throw new Error("a token was requested from a cloud without tokens");
  return token;
}

function headersOf(request: OpenstackRequest, address: ServiceAddress, session: CloudSession): Record<string, string> {
  const { token, project } = session;
  const microversion = request.microversion ?? request.preferred;
  return {
    ...(request.body === undefined ? {} : { "content-type": "application/json" }),
    ...(token === undefined ? {} : { "x-auth-token": token.reveal() }),
    ...(request.service === "compute" && project !== undefined ? { "x-auth-project-id": project.id } : {}),
    ...(request.ifRevision === undefined ? {} : { "if-match": `revision_number=${request.ifRevision}` }),
    ...(microversion === undefined ? {} : { "openstack-api-version": `${address.service} ${microversion}` }),
  };
}

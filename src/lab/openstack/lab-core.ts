import { ArmedFaults } from "../faults/armed-faults.js";
import { HeldRequests } from "../faults/held-requests.js";
import { dispatch } from "./dispatch.js";
import type { Effect, Fault, Match } from "./faults/fault.js";
import { partsOf, type ServiceRequest } from "./http/request.js";
import type { JournalEntry } from "./journal.js";
import { withoutSecrets } from "./journal.js";
import type { OpenstackLabOptions, Service } from "./options.js";
import type { Json } from "./world/json.js";
import type { OpenstackWorld } from "./world/world.js";

/** A request and its user, if known. */
interface Matchable {
  readonly request: ServiceRequest;
  readonly user: string | undefined;
}

/** Armed faults of the cloud's services. */
class Faults extends ArmedFaults<Matchable, Match, Effect, Fault> {
  protected override fits(match: Match, { request, user }: Matchable): boolean {
    return fits(match, request, user);
  }
}

/** A request that a test sends as a given user, without a token, faults and HTTP. */
export interface Act {
  readonly service: Service;
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly body?: Json;
  /** User and project default to `admin`; the project defaults to the user's name. */
  readonly user?: string;
  readonly project?: string;
}

/** State that the services of one lab share: the world, the faults, the journal and the held requests. */
export class LabCore {
  readonly world: OpenstackWorld;
  readonly options: OpenstackLabOptions;
  readonly faults = new Faults();
  readonly journal: JournalEntry[] = [];
  /** URLs of the services. Empty until they listen. */
  readonly urls: Record<Service, string> = { identity: "", network: "", compute: "", image: "", volume: "" };
  readonly held = new HeldRequests<JournalEntry>();

  constructor(world: OpenstackWorld, options: OpenstackLabOptions) {
    this.world = world;
    this.options = options;
  }

  get regions(): readonly string[] {
    return this.options.regions ?? ["RegionOne"];
  }

  /** Returns the endpoints in the catalog for a token of this project. */
  endpoints(projectId: string | undefined): Record<Service, string> {
    const { identity, network, compute, image, volume } = this.urls;
    const suffix = this.options.projectInComputeEndpoint === true && projectId !== undefined ? `/${projectId}` : "";
    const own = this.options.volumeService === false ? "" : `${volume}/v3${projectId === undefined ? "" : `/${projectId}`}`;
    return { identity: `${identity}/v3/`, network, compute: `${compute}/v2.1${suffix}`, image, volume: own };
  }

  /** Adds a request to the journal. */
  note({ service, method, rawPath, query, body, requestId, headers }: ServiceRequest): JournalEntry {
    const token = this.world.identity.token(headers["x-auth-token"]);
    const entry: JournalEntry = {
      n: this.journal.length + 1,
      service,
      time: new Date(this.world.clock.now()).toISOString(),
      method,
      path: rawPath,
      query: query.toString(),
      body: withoutSecrets(body ?? null),
      requestId,
      user: token?.user.name,
      project: token?.project?.name,
      executed: false,
      status: undefined,
      message: undefined,
      reply: "pending",
      faults: [],
    };
    this.journal.push(entry);
    return entry;
  }

  /** Sends a request as a user. Tests use it to change objects without the client's knowledge. */
  act({ service, method, path, body, user = "admin", project = user }: Act): { readonly status: number; readonly text: string } {
    const url = new URL(path, "http://lab");
    const { identity } = this.world;
    const as = identity.userNamed(user);
    const on = identity.projectNamed(project);
    if (as === undefined || on === undefined) throw new Error(`the lab knows no user ${user} or no project ${project}`);
    const token = identity.issue({ methods: ["password"], user: as, project: on });
    const request: ServiceRequest = {
      service,
      method,
      path: partsOf(url.pathname),
      rawPath: url.pathname,
      query: url.searchParams,
      headers: { "content-type": "application/json", "x-auth-token": token.id },
      body: body ?? null,
      hasBody: body !== undefined,
      linkBase: this.urls[service],
      requestId: this.requestId(),
    };
    const entry = this.note(request);
    const { status, text, message } = dispatch(this, request, []);
    Object.assign(entry, { executed: true, status, message, reply: "sent" });
    identity.revoke(token.id);
    return { status, text };
  }

  requestId(): string {
    return `req-${this.world.identifiers.uuid()}`;
  }
}

function fits(match: Match, { service, method, rawPath, query, body }: ServiceRequest, user: string | undefined): boolean {
  const equal = (wanted: string | undefined, value: string | undefined): boolean => wanted === undefined || wanted === value;
  const holds = (wanted: string | undefined, value: () => string): boolean => wanted === undefined || value().includes(wanted);
  return (
    equal(match.service, service) &&
    equal(match.method, method) &&
    equal(match.user, user) &&
    holds(match.path, () => rawPath) &&
    holds(match.query, () => query.toString()) &&
    holds(match.body, () => JSON.stringify(body ?? null))
  );
}

import type { Dispatcher } from "undici";
import { PlumblineError } from "../../src/core/errors.js";
import { dispatch } from "../../src/lab/openstack/dispatch.js";
import { partsOf, type ServiceRequest } from "../../src/lab/openstack/http/request.js";
import { LabCore } from "../../src/lab/openstack/lab-core.js";
import type { Service } from "../../src/lab/openstack/options.js";
import { isObject, type Json } from "../../src/lab/openstack/world/json.js";
import { OpenstackWorld } from "../../src/lab/openstack/world/world.js";
import type { Chance } from "./chance.js";
import type { Scheduler } from "./scheduler.js";
import type { RequestKind, Wire } from "./wire.js";

/** An object of the project: its list, its name and its declaration. */
export interface Standing {
  readonly list: "networks" | "security_groups" | "servers";
  readonly name: string;
  readonly value: string;
}

/** The events of a cloud, the only input of the checker. Objects are identified by their ids. */
export interface CloudEvent {
  readonly at: number;
  /** The connection of Plumbline that sent the request, or another user. */
  readonly source: string;
  readonly isOurs: boolean;
  /** Whether the sender no longer waits for the reply. */
  readonly isLate: boolean;
  /** Whether the sender got the reply; set once it did. */
  isKnown: boolean;
  readonly request: string;
  readonly made: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
  readonly before: ReadonlyMap<string, Standing>;
  readonly after: ReadonlyMap<string, Standing>;
}

type List = Standing["list"];

/** The objects that lists omit until then: all of others, or those with a name. */
interface LeftOut {
  readonly list: List;
  readonly name: string | undefined;
  readonly until: number;
}

const URLS: Readonly<Record<Service, string>> = {
  identity: "http://127.0.0.1:5000",
  network: "http://127.0.0.1:9696",
  compute: "http://127.0.0.1:8774",
  image: "http://127.0.0.1:9292",
  volume: "http://127.0.0.1:8776",
};
/** Of the lab. Other users work in the same project under another name. */
const PROJECT = "demo";

/** The services of the lab in this process, behind a simulated network: every request arrives, is lost or is late, as the seed decides. */
export class Cloud {
  readonly events: CloudEvent[] = [];
  readonly leftOut: LeftOut[] = [];
  /** Called once, with the connection that gets the reply of the next create of a server. */
  afterNextServer: ((source: string) => void) | undefined;
  readonly #core: LabCore;
  readonly #wire: Wire;
  readonly #scheduler: Scheduler;

  constructor(wire: Wire, scheduler: Scheduler, chance: Chance, start: number) {
    const clock = { now: () => start + scheduler.now, wait: (milliseconds: number) => scheduler.wait(milliseconds) };
    const random = (length: number) => Buffer.from(chance.hexadecimal(length * 2), "hex");
    this.#core = new LabCore(new OpenstackWorld({ clock, random }), {});
    Object.assign(this.#core.urls, URLS);
    const { identity } = this.#core.world;
    const [user, project] = [identity.userNamed("admin"), identity.projectNamed(PROJECT)];
    if (user !== undefined && project !== undefined) identity.assign(user, project, ["member"]);
    this.#wire = wire;
    this.#scheduler = scheduler;
  }

  readonly authUrl = `${URLS.identity}/v3`;

  /** The objects of the project, by id. */
  standing(): ReadonlyMap<string, Standing> {
    const { network, compute } = this.#core.world;
    const { projectId } = this.#core.world.as(PROJECT);
    const found = new Map<string, Standing>();
    for (const each of network.all("network"))
      if (each.project_id === projectId) found.set(each.id, { list: "networks", name: each.name, value: String(each.description ?? "") });
    for (const each of network.all("security_group"))
      if (each.project_id === projectId)
        found.set(each.id, { list: "security_groups", name: each.name, value: String(each.description ?? "") });
    for (const each of compute.servers(projectId)) found.set(each.id, { list: "servers", name: each.name, value: "" });
    return found;
  }

  /** The connections of one process to the services, by their origins. */
  dispatcher(source: string): (origin: string) => Dispatcher {
    return (origin) => {
      const service = (Object.keys(URLS) as Service[]).find((each) => URLS[each] === origin);
      if (service === undefined) throw new Error(`nobody listens at ${origin}`);
      const request = (options: Dispatcher.RequestOptions) => this.#ask(service, source, options);
      return { request, destroy: async () => undefined } as unknown as Dispatcher;
    };
  }

  /** Another user's request, without faults. */
  act(service: Service, method: string, path: string, body?: Json): number {
    const { status } = this.#watched("alice", false, false, `${method} ${path}`, () =>
      this.#core.act({ service, method, path, user: "admin", project: PROJECT, ...(body === undefined ? {} : { body }) }),
    ).reply;
    return status;
  }

  async #ask(
    service: Service,
    source: string,
    { method, path, headers, body }: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData> {
    const kind = kindOf(method, path);
    let event: CloudEvent | undefined;
    const arrive = (isLate: boolean) => {
      const seen = this.#answer(service, source, isLate, {
        method,
        path,
        headers: headers as Record<string, string>,
        body: body as string | null,
      });
      event = seen.event;
      return seen.reply;
    };
    const reply = await this.#wire.once(kind, arrive).catch((error: unknown) => {
      throw asOfTheTransport(error);
    });
    if (event !== undefined) {
      event.isKnown = true;
      if (event.made.some((id) => event?.after.get(id)?.list === "servers")) {
        this.afterNextServer?.(source);
        this.afterNextServer = undefined;
      }
    }
    const bytes = Buffer.from(reply.text);
    async function* content() {
      yield bytes;
    }
    const given = { "content-type": reply.contentType, ...reply.headers };
    return { statusCode: reply.status, headers: given, body: content() } as unknown as Dispatcher.ResponseData;
  }

  #answer(
    service: Service,
    source: string,
    isLate: boolean,
    {
      method,
      path,
      headers,
      body,
    }: { readonly method: string; readonly path: string; readonly headers: Record<string, string>; readonly body: string | null },
  ) {
    const url = new URL(path, URLS[service]);
    const request: ServiceRequest = {
      service,
      method,
      path: partsOf(url.pathname),
      rawPath: url.pathname,
      query: url.searchParams,
      headers,
      body: body === null ? null : (JSON.parse(body) as Json),
      hasBody: body !== null,
      linkBase: URLS[service],
      requestId: this.#core.requestId(),
    };
    if (kindOf(method, path) !== "read")
      return this.#watched(source, true, isLate, `${method} ${url.pathname}`, () => dispatch(this.#core, request, []));
    const reply = dispatch(this.#core, request, []);
    return { event: undefined, reply: { ...reply, text: this.#withLeftOut(url.pathname, reply.text) } };
  }

  /** Executes a request that may change the cloud, and records its effect. */
  #watched<Reply>(
    source: string,
    isOurs: boolean,
    isLate: boolean,
    request: string,
    work: () => Reply,
  ): { readonly event: CloudEvent; readonly reply: Reply } {
    const before = this.standing();
    const reply = work();
    const after = this.standing();
    const event: CloudEvent = {
      at: this.#scheduler.now,
      source,
      isOurs,
      isLate,
      isKnown: false,
      request,
      made: [...after.keys()].filter((id) => !before.has(id)),
      changed: [...after].flatMap(([id, { name, value }]) => {
        const was = before.get(id);
        return was !== undefined && (was.name !== name || was.value !== value) ? [id] : [];
      }),
      gone: [...before.keys()].filter((id) => !after.has(id)),
      before,
      after,
    };
    this.events.push(event);
    return { event, reply };
  }

  /** A list that lags, or whose cell is down, answers with 200 and without some of its objects. */
  #withLeftOut(path: string, text: string): string {
    const now = this.#scheduler.now;
    const [list] = Object.entries(LISTS).find(([, end]) => path.endsWith(end)) ?? [];
    const rules = this.leftOut.filter((rule) => rule.list === list && rule.until > now);
    if (list === undefined || rules.length === 0) return text;
    const body = JSON.parse(text) as Record<string, Json>;
    const rows = body[list];
    if (!Array.isArray(rows)) return text;
    const isHidden = (row: Json) => isObject(row) && rules.some(({ name }) => name === undefined || row.name === name);
    return JSON.stringify({ ...body, [list]: rows.filter((row) => !isHidden(row)) });
  }
}

const LISTS: Readonly<Record<List, string>> = { networks: "/networks", security_groups: "/security-groups", servers: "/servers/detail" };

function kindOf(method: string, path: string): RequestKind {
  if (method === "GET" || path.includes("/auth/tokens")) return "read";
  return method === "POST" ? "change" : "write";
}

/** Error of a connection if a request gets no reply. */
function asOfTheTransport(error: unknown): unknown {
  if (!(error instanceof PlumblineError)) return error;
  if (error.code === "reply-lost" || error.code === "request-timed-out")
    return Object.assign(new Error("Headers Timeout Error"), { name: "HeadersTimeoutError", code: "UND_ERR_HEADERS_TIMEOUT" });
  return error;
}

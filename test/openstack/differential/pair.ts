import type { Answer, ServiceType, Session } from "../harness/session.js";

export interface Request {
  readonly service: ServiceType;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** The answers of both clouds and their differences. */
export interface Exchange {
  readonly real: Answer;
  readonly lab: Answer;
  readonly differences: readonly string[];
}

const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b/gi;
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?\b/g;
const MAC = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i;
const PORT = /127\.0\.0\.1:\d+/g;
/** Fields with addresses that the real service draws at random. */
const ADDRESSES = new Set(["addr", "ip_address", "floating_ip_address", "fixed_ip_address"]);
/** Fields that each cloud draws, or that describe its machine. */
const DRAWN = new Set([
  "adminPass",
  "hostId",
  "fingerprint",
  "private_key",
  "progress",
  "audit_ids",
  "request_id",
  "start_time",
  "finish_time",
  "id_hash",
  "checksum",
  "os_hash_value",
  "file",
  "virtual_size",
  "direct_url",
  "catalog",
  "secret",
  "OS-EXT-AZ:availability_zone",
  "OS-EXT-STS:power_state",
]);
/** Lists without an order: the services read them from sets. */
const SETS = new Set([
  "fixed_ips",
  "security_groups",
  "subnets",
  "security_group_rules",
  "tags",
  "external_fixed_ips",
  "subnet_ids",
  "allowed_address_pairs",
  "allocation_pools",
  "extra_dhcp_opts",
]);

/** Sends the same requests to the real services and to the lab. */
export class Pair {
  readonly #real: Session;
  readonly #lab: Session;
  readonly #names = { real: new Map<string, string>(), lab: new Map<string, string>() };
  readonly #ids = new Map<string, { readonly real: string; readonly lab: string }>();
  #sent = 0;

  constructor(real: Session, lab: Session) {
    this.#real = real;
    this.#lab = lab;
  }

  get sent(): number {
    return this.#sent;
  }

  /** Names an object that both clouds have: `$name` in a request is its id. */
  name(name: string, real: string, lab: string): void {
    this.#ids.set(name, { real, lab });
    this.#names.real.set(real, `$${name}`);
    this.#names.lab.set(lab, `$${name}`);
  }

  /** Names the objects of a list that have the same `name` on both clouds. */
  async nameListed(service: ServiceType, path: string, plural: string): Promise<void> {
    const [real, lab] = await Promise.all([this.#real.list(service, path, plural), this.#lab.list(service, path, plural)]);
    for (const each of real) {
      const other = lab.find(({ name }) => name === each.name);
      if (other !== undefined) this.name(each.name, each.id, other.id);
    }
  }

  async send(request: Request): Promise<Exchange> {
    this.#sent++;
    const [real, lab] = await Promise.all([this.#to("real", request), this.#to("lab", request)]);
    return { real, lab, differences: this.#compare(request, real, lab) };
  }

  /** Sends a request to both clouds without a comparison. */
  async peek(request: Request): Promise<readonly [real: Answer, lab: Answer]> {
    return Promise.all([this.#to("real", request), this.#to("lab", request)]);
  }

  /** Sends a request to one of the clouds only. */
  async #to(cloud: "real" | "lab", { service, method, path, body }: Request): Promise<Answer> {
    const session = cloud === "real" ? this.#real : this.#lab;
    const resolved = JSON.stringify({ path, body }, (_key, value) =>
      typeof value === "string" ? value.replace(/\$([a-z0-9.-]+)/gi, (whole, name) => this.#ids.get(name)?.[cloud] ?? whole) : value,
    );
    const { path: where, body: what } = JSON.parse(resolved);
    return session.request(service, method, where, what);
  }

  /** Deletes an object by the id that each cloud gave it. A cloud that refused the create request has none. */
  async discard(service: ServiceType, path: string, real: string | undefined, lab: string | undefined): Promise<void> {
    const done = [];
    if (real !== undefined) done.push(this.#to("real", { service, method: "DELETE", path: `${path}/${real}` }));
    if (lab !== undefined) done.push(this.#to("lab", { service, method: "DELETE", path: `${path}/${lab}` }));
    await Promise.all(done);
  }

  #compare(request: Request, real: Answer, lab: Answer): string[] {
    const outcomes = [outcome(real), outcome(lab)];
    if (outcomes[0] !== outcomes[1]) return [`${outcomes[0]} / ${outcomes[1]}`];
    if (real.status >= 400) return [];
    const how = {
      said: JSON.stringify([request.path, request.body ?? null]).toLowerCase(),
      isOrdered: request.path.includes("sort_key"),
      isImage: request.service === "image",
      hasNoIds: request.path.includes("fields="),
      listed: Object.entries(real.json ?? {}).find(([, value]) => Array.isArray(value))?.[0],
    };
    const left = normal(real.json, { ...how, names: this.#names.real });
    const right = normal(lab.json, { ...how, names: this.#names.lab });
    return unequal(left, right, "");
  }
}

/** Returns the status, with the type of a refusal if the answer has one. */
function outcome({ status, json }: Answer): string {
  if (status < 400 || typeof json !== "object" || json === null) return String(status);
  const type = json.NeutronError?.type ?? json.error?.title ?? Object.keys(json)[0] ?? "";
  return `${status} ${type}`.trim();
}

interface Normalisation {
  readonly names: ReadonlyMap<string, string>;
  /** The request as text, in lower case. */
  readonly said: string;
  readonly isOrdered: boolean;
  /** The key of the list, if the answer is one. A list shows how often earlier requests changed an object, which is not compared. */
  readonly listed: string | undefined;
  /** A list of chosen fields. It has no order, either. */
  readonly hasNoIds: boolean;
  /** The only image of each cloud has other content. */
  readonly isImage: boolean;
}

function normal(value: unknown, how: Normalisation, key = ""): unknown {
  // A volume shows the size of its image as a text.
  const isImageSize = key === "size" && (how.isImage || typeof value === "string");
  if (DRAWN.has(key) || isImageSize) return `<${typeof value}>`;
  if (Array.isArray(value)) {
    const items = value.map((each) => normal(each, how, key));
    const isList = (how.hasNoIds && key === how.listed) || value.some((each) => typeof each === "object" && each !== null && "id" in each);
    return SETS.has(key) || (isList && !how.isOrdered) ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([name]) => !(how.listed !== undefined && name === "revision_number"));
    return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, normal(each, how, name)]));
  }
  return normalValue(value, how, key);
}

function normalValue(value: unknown, { names, said }: Normalisation, key: string): unknown {
  if (key === "standard_attr_id") return typeof value;
  if (typeof value !== "string") return value;
  const isGiven = said.includes(`"${value.toLowerCase()}"`);
  if (MAC.test(value) && !isGiven) return "<mac>";
  if (ADDRESSES.has(key) && !isGiven) return "<address>";
  return value
    .replace(ID, (id) => names.get(id) ?? "<id>")
    .replace(TIME, "<time>")
    .replace(PORT, "<host>");
}

/** Returns the paths of unequal values. */
function unequal(left: unknown, right: unknown, at: string): string[] {
  if (JSON.stringify(left) === JSON.stringify(right)) return [];
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (isRecord(left) && isRecord(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return keys.flatMap((key) => unequal(left[key], right[key], at === "" ? key : `${at}.${key}`));
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length)
    return [...new Set(left.flatMap((each, index) => unequal(each, right[index], `${at}[]`)))];
  const show = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value).slice(0, 160));
  return [`${at}: ${show(left)} / ${show(right)}`];
}

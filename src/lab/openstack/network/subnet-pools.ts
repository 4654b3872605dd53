import type { JsonObject } from "../world/json.js";
import { ServiceError } from "../world/service-error.js";
import { formatBlock, parseBlock } from "./addresses.js";
import { type Attribute, type Attributes, STANDARD } from "./attributes.js";
import { type Check, flag, integer, subnetCidrs } from "./checks.js";
import { badRequest, badResource, conflict, invalidAttribute } from "./errors.js";
import { asJson, type Manager } from "./manager.js";
import { networksWithout } from "./networks-without.js";
import type { Standard } from "./standard-attributes.js";
import type { NetworkStore } from "./store.js";

/** Networks from which subnets are allocated. `prefixes` is the smallest list that covers them. */
export interface SubnetPool extends Standard {
  prefixes: string[];
  readonly ip_version: 4 | 6;
  default_prefixlen: number;
  min_prefixlen: number;
  max_prefixlen: number;
  default_quota: number | null;
  readonly address_scope_id: null;
  readonly shared: boolean;
  is_default: boolean;
}

const networks: Check = (value, name) => {
  const twice = Array.isArray(value) ? value.find((each, at) => value.indexOf(each) !== at) : undefined;
  if (twice !== undefined) throw invalidAttribute(name, `Duplicate items in the list: '${String(twice)}'`);
  return subnetCidrs(value, name);
};

const count: Check = (value, name) => {
  const number = integer(value, name);
  if (Number(number) < 0) throw invalidAttribute(name, `'${String(value)}' should be non-negative`);
  return number;
};

const length: Attribute = { check: count, post: true, put: true };

const ATTRIBUTES: Attributes = {
  ...STANDARD,
  name: { ...STANDARD.name, required: true },
  prefixes: { check: networks, post: true, put: true, required: true },
  default_quota: length,
  ip_version: {},
  default_prefixlen: length,
  min_prefixlen: length,
  max_prefixlen: length,
  address_scope_id: {},
  is_default: { check: flag, post: true, put: true, fallback: false, admin: true },
  shared: { check: flag, post: true, fallback: false, admin: true },
};

const BOUNDS = { 4: { all: "0.0.0.0/0", min: 8, max: 32 }, 6: { all: "::/0", min: 64, max: 128 } } as const;

export class SubnetPools implements Manager<"subnetpool"> {
  readonly kind = "subnetpool";
  readonly plural = "subnetpools";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;

  constructor(store: NetworkStore) {
    this.#store = store;
  }

  create(values: JsonObject): SubnetPool {
    this.#store.quotas.demand("subnetpool", String(values.project_id));
    const prefixes = values.prefixes as string[];
    const [version, ...others] = [...new Set(prefixes.map((each) => (each.includes(":") ? 6 : 4)))];
    if (version === undefined) throw new ServiceError(400, "EmptySubnetPoolPrefixList", "Empty subnet pool prefix list.");
    if (others.length > 0) throw new ServiceError(400, "PrefixVersionMismatch", "Cannot mix IPv4 and IPv6 prefixes in a subnet pool.");
    const { min, max } = BOUNDS[version];
    const least = Number(values.min_prefixlen ?? min);
    const pool: SubnetPool = {
      ...this.#store.standard(values, 0),
      prefixes: compact(prefixes, version),
      ip_version: version,
      min_prefixlen: least,
      max_prefixlen: Number(values.max_prefixlen ?? max),
      default_prefixlen: Number(values.default_prefixlen ?? least),
      default_quota: typeof values.default_quota === "number" ? values.default_quota : null,
      address_scope_id: null,
      shared: values.shared === true,
      is_default: values.is_default === true,
    };
    checkBounds(pool);
    return this.#store.add("subnetpool", pool);
  }

  update(pool: SubnetPool, values: JsonObject): void {
    const prefixes = (values.prefixes as string[] | undefined) ?? pool.prefixes;
    if (networksWithout(pool.prefixes, prefixes).length > 0) throw illegal("Existing prefixes must be a subset of the new prefixes");
    const changed = { ...(values as Partial<SubnetPool>), prefixes: compact(prefixes, pool.ip_version) };
    checkBounds({ ...pool, ...changed });
    this.#store.change("subnetpool", pool, changed);
  }

  remove(pool: SubnetPool): void {
    if (this.#cutFrom(pool).length > 0)
      throw new ServiceError(400, "SubnetPoolDeleteError", "Unable to delete subnet pool: Subnet pool has existing allocations.");
    this.#store.remove("subnetpool", pool);
  }

  addPrefixes(pool: SubnetPool, prefixes: readonly string[]): void {
    this.update(pool, { prefixes: [...pool.prefixes, ...prefixes] });
  }

  removePrefixes(pool: SubnetPool, prefixes: readonly string[]): void {
    const left = networksWithout(pool.prefixes, prefixes);
    const used = this.#cutFrom(pool);
    if (used.some((cidr) => networksWithout([cidr], prefixes).join() !== cidr))
      throw illegal("One or more the prefixes to be removed is in use by a subnet.");
    this.#store.change("subnetpool", pool, { prefixes: compact(left, pool.ip_version) });
  }

  /** Allocates the network of a subnet: the requested network, or any free one of the requested length. */
  cut(pool: SubnetPool, { cidr, prefixlen, ip_version, allocation_pools }: JsonObject): string {
    const requested = typeof cidr === "string" ? parseBlock(cidr) : undefined;
    if (requested !== undefined && typeof prefixlen === "number")
      throw badResource("subnets", "cidr and prefixlen must not be supplied together");
    if (requested === undefined && Array.isArray(allocation_pools))
      throw badResource("subnets", "allocation_pools allowed only for specific subnet requests.");
    if (ip_version !== pool.ip_version)
      throw badResource("subnets", `Cannot allocate IPv${ip_version} subnet from IPv${pool.ip_version} subnet pool`);
    const wanted = requested?.prefixLength ?? (typeof prefixlen === "number" ? prefixlen : pool.default_prefixlen);
    this.#checkLength(pool, wanted);
    const free = networksWithout(pool.prefixes, this.#cutFrom(pool)).map((network) => ({ network, length: lengthOf(network) }));
    if (requested !== undefined) {
      const isFree = free.some(({ network }) => networksWithout([formatBlock(requested)], [network]).length === 0);
      if (!isFree) throw noRoom("Cannot allocate requested subnet from the available set of prefixes");
      return formatBlock(requested);
    }
    const [room] = free.filter((each) => each.length <= wanted).sort((a, b) => b.length - a.length);
    if (room === undefined) throw noRoom(`Insufficient prefix space to allocate subnet size /${wanted}`);
    return `${room.network.split("/")[0]}/${wanted}`;
  }

  shared({ shared }: SubnetPool): boolean {
    return shared;
  }

  /** The real service returns prefix lengths as text. */
  show(pool: SubnetPool): JsonObject {
    const { default_prefixlen, min_prefixlen, max_prefixlen } = pool;
    const texts = { default_prefixlen: `${default_prefixlen}`, min_prefixlen: `${min_prefixlen}`, max_prefixlen: `${max_prefixlen}` };
    return { ...asJson(pool), ...texts };
  }

  #checkLength({ id, project_id, ip_version, min_prefixlen, max_prefixlen, default_quota }: SubnetPool, wanted: number): void {
    const bound = (type: string, word: string, at: number) =>
      new ServiceError(400, type, `Unable to allocate subnet with prefix length ${wanted}, ${word} allowed prefix is ${at}.`);
    const { all, max } = BOUNDS[ip_version];
    if (wanted > max) throw new ServiceError(400, "AddrFormatError", `invalid IPNetwork ${all.replace("/0", "")}/${wanted}`);
    if (wanted > max_prefixlen) throw bound("MaxPrefixSubnetAllocationError", "maximum", max_prefixlen);
    if (wanted < min_prefixlen) throw bound("MinPrefixSubnetAllocationError", "minimum", min_prefixlen);
    if (default_quota === null || default_quota === 0) return;
    const units = (prefixLength: number): number => 2 ** ((ip_version === 4 ? 32 : 64) - prefixLength);
    const own = [...this.#store.objects.subnet.values()].filter((each) => each.subnetpool_id === id && each.project_id === project_id);
    const used = own.reduce((sum, { cidr }) => sum + units(lengthOf(cidr)), 0);
    if (used + units(wanted) > default_quota) throw conflict("SubnetPoolQuotaExceeded", "Per-tenant subnet pool prefix quota exceeded.");
  }

  #cutFrom({ id }: SubnetPool): string[] {
    return [...this.#store.objects.subnet.values()].filter(({ subnetpool_id }) => subnetpool_id === id).map(({ cidr }) => cidr);
  }
}

function lengthOf(network: string): number {
  return Number(network.split("/")[1]);
}

/** Returns the smallest list of networks with the same addresses: the complement of their complement. */
function compact(prefixes: readonly string[], version: 4 | 6): string[] {
  const { all } = BOUNDS[version];
  return networksWithout([all], networksWithout([all], prefixes));
}

function checkBounds({ ip_version, min_prefixlen, max_prefixlen, default_prefixlen }: SubnetPool): void {
  const most = BOUNDS[ip_version].max;
  const wrong = [
    min_prefixlen > max_prefixlen && `min_prefixlen=${min_prefixlen}, max_prefixlen=${max_prefixlen}`,
    max_prefixlen > most && `max_prefixlen=${max_prefixlen}, ip_version_max=${most}`,
    default_prefixlen < min_prefixlen && `default_prefixlen=${default_prefixlen}, min_prefixlen=${min_prefixlen}`,
    default_prefixlen > max_prefixlen && `default_prefixlen=${default_prefixlen}, max_prefixlen=${max_prefixlen}`,
  ].find((each) => each !== false);
  if (wrong !== undefined) throw new ServiceError(400, "IllegalSubnetPoolPrefixBounds", `Illegal prefix bounds: ${wrong}.`);
}

function illegal(words: string): ServiceError {
  return new ServiceError(400, "IllegalSubnetPoolPrefixUpdate", `Illegal update to prefixes: ${words}.`);
}

/** The real service returns this refusal with the status of an internal error. */
function noRoom(words: string): ServiceError {
  return new ServiceError(500, "SubnetAllocationError", `Failed to allocate subnet: ${words}.`);
}

/** Returns the prefixes in the body of an action on a pool. */
export function prefixesIn(body: unknown): string[] {
  const prefixes = typeof body === "object" && body !== null && "prefixes" in body ? body.prefixes : undefined;
  if (!Array.isArray(prefixes) || prefixes.length === 0) throw badRequest("Request body contains invalid data");
  return prefixes.map(String);
}

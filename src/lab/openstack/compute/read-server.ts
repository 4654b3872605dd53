import { parseAddress } from "../network/addresses.js";
import { isObject, type Json, type JsonObject } from "../world/json.js";
import { isAdmin, owns, type Requester } from "../world/requester.js";
import type { OpenstackWorld } from "../world/world.js";
import type { ServerRequest } from "./compute.js";
import { badRequest, conflict, invalidField, show } from "./errors.js";
import type { Attachment } from "./server.js";
import type { ServerGroup } from "./server-groups.js";
import { readServerVolumes } from "./server-volumes.js";

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const MOST_CHARACTERS = 255;
const BOOLEANS = ["true", "1", "on", "yes", "false", "0", "off", "no", ""];
const NO_SCHEMA = "is not valid under any of the given schemas";
const KNOWN = new Set(
  "name imageRef flavorRef min_count max_count key_name networks metadata security_groups availability_zone adminPass user_data config_drive description tags return_reservation_id OS-DCF:diskConfig accessIPv4 accessIPv6 block_device_mapping_v2 personality hostname".split(
    " ",
  ),
);
/** First minor version that accepts an attribute. */
const SINCE: Readonly<Record<string, number>> = { description: 19, tags: 52 };

/** Validates the body `{"server": {…}}` of a `POST`. `strict` is true for `/v2.1`, which refuses unknown attributes. */
export function readServer(
  world: OpenstackWorld,
  requester: Requester,
  body: unknown,
  version: number,
  strict: boolean,
): Omit<ServerRequest, "failsWith"> {
  const given = isObject(body) ? body.server : undefined;
  if (!isObject(given)) throw badRequest("'server' is a required property");
  const server = world.compute.serverBodies === "specification" ? inNovasWords(given) : given;
  refuseUnknown(server, version, strict);
  const name = textOf("name", server.name);
  if (name === "") throw invalidField("name", "", "'' is too short");
  refuseFields(server);
  if (server.flavorRef === undefined) throw invalidField("server", server, "'flavorRef' is a required property");
  const minCount = countOf("min_count", server.min_count, 1);
  const count = countOf("max_count", server.max_count, minCount);
  if (minCount > count) throw badRequest("min_count must be <= max_count");
  const imageId = imageOf(server.imageRef);
  const metadata = metadataOf(server.metadata === undefined ? {} : server.metadata);
  const attachments = networksOf(world, requester, server.networks, version, strict);
  const keyName = typeof server.key_name === "string" ? server.key_name : null;
  if (imageId === undefined && !Array.isArray(server.block_device_mapping_v2)) throw badRequest("Missing imageRef attribute");
  if (imageId !== undefined && world.images.get(imageId, requester.projectId, isAdmin(requester)) === undefined) {
    throw badRequest("Can not find requested image");
  }
  const flavor = world.compute.flavors.get(String(server.flavorRef).split("/").at(-1) ?? "");
  if (flavor === undefined) throw badRequest(`Flavor ${String(server.flavorRef)} could not be found.`);
  if (keyName !== null && world.compute.keyPairs.find(requester.userId, keyName) === undefined)
    throw badRequest("Invalid key_name provided.");
  return {
    name,
    imageId,
    flavor,
    count,
    minCount,
    keyName,
    hasConfigDrive: ["true", "1", "on", "yes"].includes(String(server.config_drive).toLowerCase()),
    metadata,
    tags: version >= 52 && Array.isArray(server.tags) ? server.tags.map(String) : [],
    description: version < 19 ? name : typeof server.description === "string" ? server.description : null,
    attachments,
    volumes: readServerVolumes(world, requester, server.block_device_mapping_v2),
    securityGroups: groupsOf(world, requester, server.security_groups),
    group: groupOf(world, requester, body),
    availabilityZone: typeof server.availability_zone === "string" ? server.availability_zone : "nova",
  };
}

/** The service ignores other characters and demands the padding. */
function isBase64(text: string): boolean {
  const [data = "", ...padding] = text.replaceAll(/[^0-9A-Za-z+/=]/g, "").split("=");
  const rest = data.length % 4;
  return rest === 0 || (rest > 1 && padding.length >= 4 - rest);
}

/** Refuses values that the schema of the service refuses. */
function refuseFields({ name, availability_zone: zone, key_name, security_groups, user_data, config_drive }: JsonObject): void {
  const isWrong = (value: Json | undefined, isRight: (text: string) => boolean) =>
    value !== undefined && !(typeof value === "string" && isRight(value));
  if (isWrong(name, (text) => text.trim() !== "" && text.length <= MOST_CHARACTERS))
    throw invalidField("name", name, `${show(name, true)} is not valid`);
  if (isWrong(key_name, () => true)) throw invalidField("key_name", key_name, `${show(key_name, true)} is not of type 'string'`);
  if (isWrong(zone, (text) => text.split(":")[0] === "nova")) throw badRequest("The requested availability zone is not available");
  if (isWrong(user_data, isBase64)) throw invalidField("user_data", user_data, `${show(user_data, true)} is not a 'base64'`);
  if (security_groups !== undefined && !Array.isArray(security_groups))
    throw invalidField("security_groups", security_groups, `${show(security_groups, true)} is not of type 'array'`);
  // Numbers are refused.
  const isFlag = typeof config_drive === "boolean" || typeof config_drive === "string";
  if (config_drive !== undefined && !(isFlag && BOOLEANS.includes(String(config_drive).toLowerCase())))
    throw invalidField("config_drive", config_drive, `${show(config_drive, true)} is not one of ${show(BOOLEANS)}`);
}

/** Converts a body of the specification to Nova's schema: removes empty texts and renames `network` to `uuid`. */
function inNovasWords(server: JsonObject): JsonObject {
  const { networks, ...others } = withoutEmptyTexts(server);
  if (!Array.isArray(networks)) return { ...others, ...(networks === undefined ? {} : { networks }) };
  return {
    ...others,
    networks: networks.map((each) => {
      if (!isObject(each)) return each;
      const { network, ...known } = withoutEmptyTexts(each);
      return network === undefined || known.uuid !== undefined || known.port !== undefined ? known : { ...known, uuid: network };
    }),
  };
}

function withoutEmptyTexts(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key, value]) => value !== "" || key === "name"));
}

export function metadataOf(given: Json): Record<string, string> {
  if (!isObject(given)) throw invalidField("metadata", given, `${show(given, true)} is not of type 'object'`);
  for (const [key, value] of Object.entries(given)) {
    if (!/^[0-9A-Za-z_:. -]{1,255}$/.test(key))
      throw invalidField("metadata", given, `Additional properties are not allowed ('${key}' was unexpected)`);
    if (typeof value !== "string") throw invalidField(key, value, `${show(value, true)} is not of type 'string'`);
    if (value.length > 255) throw invalidField(key, value, `'${value}' is too long`);
  }
  return given as Record<string, string>;
}

function refuseUnknown(server: JsonObject, version: number, strict: boolean): void {
  const isKnown = (name: string) => KNOWN.has(name) && version >= (SINCE[name] ?? 1);
  const unknown = strict ? Object.keys(server).find((name) => !isKnown(name)) : undefined;
  if (unknown !== undefined) throw invalidField("server", server, `Additional properties are not allowed ('${unknown}' was unexpected)`);
}

function textOf(name: string, value: Json | undefined): string {
  if (typeof value !== "string") throw invalidField(name, value, `${show(value, true)} is not of type 'string'`);
  return value;
}

function countOf(name: string, value: Json | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  const count = Number(value);
  if (!Number.isInteger(count)) throw invalidField(name, value, `${show(value, true)} is not of type 'integer'`);
  if (count < 1) throw invalidField(name, value, `${show(value)} is less than the minimum of 1`);
  return count;
}

function imageOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value !== "string" || !UUID.test(value)) throw invalidField("imageRef", value, `${show(value, true)} ${NO_SCHEMA}`);
  return value;
}

function groupsOf(world: OpenstackWorld, requester: Requester, given: Json | undefined): string[] {
  if (!Array.isArray(given)) return [];
  const known = world.network.visible("security_group", requester).filter(({ project_id }) => project_id === requester.projectId);
  return given.map((each) => {
    const wanted = isObject(each) ? each.name : undefined;
    const found = known.find(({ id, name }) => id === wanted || name === wanted);
    if (found === undefined) throw badRequest(`Unable to find security_group with name or id '${String(wanted)}'`);
    return found.id;
  });
}

/** `os:scheduler_hints` are next to `server` in the body. */
function groupOf(world: OpenstackWorld, requester: Requester, body: unknown): ServerGroup | undefined {
  const hints = isObject(body) ? (body["os:scheduler_hints"] ?? body["OS-SCH-HNT:scheduler_hints"]) : undefined;
  if (!isObject(hints)) return undefined;
  const { group, ...others } = hints;
  for (const name of ["same_host", "different_host"]) {
    const wrong = [others[name] ?? []].flat().find((id) => typeof id !== "string" || !UUID.test(id));
    if (wrong !== undefined) throw invalidField(name, others[name], `${show(others[name], true)} ${NO_SCHEMA}`);
  }
  if (group === undefined) return undefined;
  if (typeof group !== "string" || !UUID.test(group)) throw invalidField("group", group, `${show(group, true)} is not a 'uuid'`);
  const found = world.compute.groups.all.get(group);
  if (found === undefined || !owns(requester, found.projectId)) throw badRequest(`Instance group ${group} could not be found.`);
  return found;
}

function networksOf(world: OpenstackWorld, requester: Requester, given: Json | undefined, version: number, strict: boolean): Attachment[] {
  if (given === undefined && version >= 37) throw badRequest("Invalid input for field/attribute server. 'networks' is a required property");
  if (given === "none" && version >= 37) return [];
  if (given !== undefined && given !== "auto" && !Array.isArray(given)) {
    throw invalidField("networks", given, `${show(given, true)} ${NO_SCHEMA}`);
  }
  if (!Array.isArray(given) || given.length === 0) return theOnlyNetwork(world, requester);
  return given.map((each) => attachmentOf(each, strict));
}

/** Without `networks` the server gets the only network of the project. */
function theOnlyNetwork(world: OpenstackWorld, requester: Requester): Attachment[] {
  const own = world.network
    .visible("network", requester)
    .filter((network) => (network.project_id === requester.projectId || network.shared) && network.subnets.length > 0);
  if (own.length > 1) throw conflict("Multiple possible networks found, use a Network ID to be more specific.");
  return own.map(({ id }) => ({ kind: "network", networkId: id, fixedIp: undefined }));
}

function attachmentOf(given: Json, strict: boolean): Attachment {
  if (!isObject(given)) throw invalidField("networks", given, `${show(given, true)} is not of type 'object'`);
  const { uuid, port, fixed_ip } = given;
  if (fixed_ip !== undefined && (typeof fixed_ip !== "string" || parseAddress(fixed_ip) === undefined)) {
    throw invalidField("fixed_ip", fixed_ip, `${show(fixed_ip, true)} ${NO_SCHEMA}`);
  }
  if (port !== undefined && port !== null && (typeof port !== "string" || !UUID.test(port))) {
    throw invalidField("port", port, `${show(port, true)} ${NO_SCHEMA}`);
  }
  const unknown = Object.keys(given).find((name) => !["uuid", "port", "fixed_ip", "tag"].includes(name));
  if (strict && unknown !== undefined) {
    throw invalidField("networks", given, `Additional properties are not allowed ('${unknown}' was unexpected)`);
  }
  if (typeof port === "string") return { kind: "port", portId: port };
  if (uuid === undefined) throw badRequest("Bad network format: missing 'uuid'");
  if (typeof uuid !== "string" || !UUID.test(uuid))
    throw badRequest(`Bad networks format: network uuid is not in proper format (${show(uuid)})`);
  return { kind: "network", networkId: uuid, fixedIp: typeof fixed_ip === "string" ? fixed_ip : undefined };
}

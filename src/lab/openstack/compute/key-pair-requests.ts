import { empty, json, type ServiceReply } from "../http/reply.js";
import { isObject } from "../world/json.js";
import { badRequest, invalidField, show } from "./errors.js";
import type { ComputeCall } from "./handle-compute.js";
import { detailedKeyPair, keyPair } from "./views.js";

/** `/os-keypairs` and `/os-keypairs/<name>`, for key pairs of the requesting user. */
export function handleKeyPairs({ request, path, view }: ComputeCall): ServiceReply | undefined {
  const { keyPairs } = view.world.compute;
  const { userId } = request.requester;
  const [, name, ...rest] = path;
  if (rest.length > 0) return undefined;
  if (name === undefined && request.method === "GET") {
    return json(200, { keypairs: keyPairs.of(userId).map((pair) => ({ keypair: keyPair(view, pair) })) });
  }
  if (name === undefined) return request.method === "POST" ? create({ request, view }) : undefined;
  if (request.method === "GET") return json(200, { keypair: detailedKeyPair(view, keyPairs.get(userId, name)) });
  if (request.method !== "DELETE") return undefined;
  keyPairs.delete(userId, name);
  return empty(view.version >= 2 ? 204 : 202);
}

const EXPECTED = "_- 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const NAME = /^[\w\- ]+$/;
/** Since 2.92. */
const WIDE_NAME = /^[\w\-@. ]+$/;

/** Only this reply contains the private key. */
function create({ request, view }: Pick<ComputeCall, "request" | "view">): ServiceReply {
  const given = isObject(request.body) ? request.body.keypair : undefined;
  if (!isObject(given)) throw badRequest("'keypair' is a required property");
  const { name, public_key, ...others } = given;
  const unknown = Object.keys(others).find((key) => key !== "type" && key !== "user_id");
  if (unknown !== undefined) throw badRequest(`Additional properties are not allowed ('${unknown}' was unexpected)`);
  if (public_key !== undefined && typeof public_key !== "string")
    throw invalidField("public_key", public_key, `${show(public_key, true)} is not of type 'string'`);
  if (typeof name !== "string") throw invalidField("name", name, `${show(name, true)} is not of type 'string'`);
  if (name === "") throw invalidField("name", "", "'' is too short");
  if (name.length > 255) throw invalidField("name", name, `'${name}' is too long`);
  if (!(view.version >= 92 ? WIDE_NAME : NAME).test(name))
    throw badRequest(`An invalid 'name' value was provided. The name must be: Only expected characters: [${EXPECTED}]`);
  if (public_key === undefined && view.version >= 92) throw badRequest("'public_key' is a required property");
  const { world } = view;
  const imported = typeof public_key === "string" ? public_key : undefined;
  const { pair, privateKey } = world.compute.keyPairs.create(request.requester.userId, name, imported, world.clock.now());
  const shown = { ...keyPair(view, pair), user_id: pair.userId, ...(privateKey === undefined ? {} : { private_key: privateKey }) };
  return json(view.version >= 2 ? 201 : 200, { keypair: shown });
}

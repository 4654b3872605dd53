import { ServiceError } from "../world/service-error.js";

/** 400 with a general sentence, as the request handling itself refuses. */
export function badRequest(message: string): ServiceError {
  return new ServiceError(400, "HTTPBadRequest", message);
}

export function invalidInput(message: string): ServiceError {
  return new ServiceError(400, "InvalidInput", `Invalid input for operation: ${message}.`);
}

export function badResource(resource: string, message: string): ServiceError {
  return new ServiceError(400, "BadRequest", `Bad ${resource} request: ${message}.`);
}

export function invalidAttribute(name: string, reason: string): ServiceError {
  return badRequest(`Invalid input for ${name}. Reason: ${reason}.`);
}

export function disallowed(rules: string): ServiceError {
  return new ServiceError(403, "PolicyNotAuthorized", `${rules} is disallowed by policy`);
}

export function conflict(type: string, message: string): ServiceError {
  return new ServiceError(409, type, message);
}

export type NetworkKind =
  | "network"
  | "subnet"
  | "subnetpool"
  | "rbac_policy"
  | "port"
  | "trunk"
  | "router"
  | "security_group"
  | "security_group_rule"
  | "floatingip"
  | "address_group";

const NOT_FOUND: Readonly<Record<NetworkKind, (id: string) => readonly [type: string, message: string]>> = {
  network: (id) => ["NetworkNotFound", `Network ${id} could not be found.`],
  subnet: (id) => ["SubnetNotFound", `Subnet ${id} could not be found.`],
  subnetpool: (id) => ["SubnetPoolNotFound", `Subnet pool ${id} could not be found.`],
  rbac_policy: (id) => ["RbacPolicyNotFound", `RBAC policy of type unknown with ID ${id} not found`],
  trunk: (id) => ["TrunkNotFound", `Trunk ${id} could not be found.`],
  port: (id) => ["PortNotFound", `Port ${id} could not be found.`],
  router: (id) => ["RouterNotFound", `Router ${id} could not be found`],
  security_group: (id) => ["SecurityGroupNotFound", `Security group ${id} does not exist`],
  address_group: (id) => ["AddressGroupNotFound", `Address group ${id} could not be found.`],
  floatingip: (id) => ["FloatingIPNotFound", `Floating IP ${id} could not be found`],
  security_group_rule: (id) => ["SecurityGroupRuleNotFound", `Security group rule ${id} does not exist`],
};

export function notFound(kind: NetworkKind, id: string): ServiceError {
  return new ServiceError(404, ...NOT_FOUND[kind](id));
}

/** One API call: its parameters in order, `type` first. The client adds the key. */
export interface PanosRequest {
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Whether the request may be repeated after a lost reply: only reads, polls and key generation. */
  readonly repeatable: boolean;
  /** Contains a password or a stored secret. It is sent in the body unless the configuration requires GET. */
  readonly sensitive?: boolean;
}

/** Request types that a manager relays to the firewall in `target`. It answers all other types itself. */
const HANDED_ON: ReadonlySet<string | undefined> = new Set(["op", "config"]);

/** Adds the serial number, so that the manager relays the request to that firewall. */
export function through(serial: string, request: PanosRequest): PanosRequest {
  const isHandedOn = request.parameters.some(([name, value]) => name === "type" && HANDED_ON.has(value));
  return isHandedOn ? { ...request, parameters: [...request.parameters, ["target", serial]] } : request;
}

/** The loggable part of a request: only its type and action. */
export function requestWords(request: PanosRequest): string {
  return [parameterOf(request, "type"), parameterOf(request, "action")].filter((word) => word !== undefined).join(" ");
}

/** XPath that a request reads or changes. Undefined for an operational command. */
export function xpathOf(request: PanosRequest): string | undefined {
  return parameterOf(request, "xpath");
}

function parameterOf(request: PanosRequest, name: string): string | undefined {
  return request.parameters.find(([key]) => key === name)?.[1];
}

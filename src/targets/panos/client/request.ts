/** One API call: its parameters in order, `type` first. The client adds the key. */
export interface PanosRequest {
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Whether the request may be repeated after a lost reply: only reads, polls and key generation. */
  readonly repeatable: boolean;
  /** Contains a password or a stored secret. It is sent in the body unless the configuration requires GET. */
  readonly sensitive?: boolean;
}

/** Builds an operational command. `cmd` is XML. */
export function op(cmd: string, more: PanosRequest["parameters"] = []): PanosRequest {
  return { parameters: [["type", "op"], ["cmd", cmd], ...more], repeatable: true };
}

/** Builds an operational command that changes something and must not be repeated automatically. */
export function changingOp(cmd: string, more: PanosRequest["parameters"] = []): PanosRequest {
  return { ...op(cmd, more), repeatable: false };
}

/** Request types that a manager relays to the firewall in `target`. It answers all other types itself. */
const HANDED_ON: ReadonlySet<string | undefined> = new Set(["op", "config"]);

/** Adds the serial number, so that the manager relays the request to that firewall. */
export function through(serial: string, request: PanosRequest): PanosRequest {
  const isHandedOn = request.parameters.some(([name, value]) => name === "type" && HANDED_ON.has(value));
  return isHandedOn ? { ...request, parameters: [...request.parameters, ["target", serial]] } : request;
}

/** `get` reads the candidate, `show` the running configuration. */
export function configRead(action: "get" | "show", xpath: string): PanosRequest {
  return {
    parameters: [
      ["type", "config"],
      ["action", action],
      ["xpath", xpath],
    ],
    repeatable: true,
  };
}

/** The loggable part of a request: only its type and action. */
export function requestWords(request: PanosRequest): string {
  const value = (name: string) => request.parameters.find(([key]) => key === name)?.[1];
  return [value("type"), value("action")].filter((word) => word !== undefined).join(" ");
}

/** One call of the API: its parameters in order, `type` first; the key is added by the client. */
export interface PanosRequest {
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** True only for what may be sent again after a lost reply: reads, polls, key generation. */
  readonly repeatable: boolean;
  /** Carries a password or a stored secret: sent in the body unless the configuration insists on GET. */
  readonly sensitive?: boolean;
}

/** An operational command; `cmd` is XML. */
export function op(cmd: string, more: PanosRequest["parameters"] = []): PanosRequest {
  return { parameters: [["type", "op"], ["cmd", cmd], ...more], repeatable: true };
}

/** An operational command that changes something, so that it is not repeated blindly. */
export function changingOp(cmd: string, more: PanosRequest["parameters"] = []): PanosRequest {
  return { ...op(cmd, more), repeatable: false };
}

/** Types that a manager hands on to the firewall that `target` names; it answers others itself. */
const HANDED_ON: ReadonlySet<string | undefined> = new Set(["op", "config"]);

/** The request as a manager hands it on to the firewall with this serial number. */
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

/** What may be logged of a request: its type and action, never more. */
export function requestWords(request: PanosRequest): string {
  const value = (name: string) => request.parameters.find(([key]) => key === name)?.[1];
  return [value("type"), value("action")].filter((word) => word !== undefined).join(" ");
}

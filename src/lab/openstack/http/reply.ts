export interface ServiceReply {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
  /** Message of a refusal, for the journal. */
  readonly message?: string;
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): ServiceReply {
  return { status, contentType: "application/json", text: JSON.stringify(value), headers };
}

export function empty(status: number, headers: Readonly<Record<string, string>> = {}): ServiceReply {
  return { status, contentType: "application/json", text: "", headers };
}

export function plain(status: number, text: string): ServiceReply {
  return { status, contentType: "text/plain; charset=UTF-8", text };
}

const AUTHENTICATION_REQUIRED = "The request you have made requires authentication.";

/** Returns the reply of network and compute to an invalid or expired token. Its format differs from their other errors. */
export function unauthorizedJson(identityUrl: string): ServiceReply {
  const error = { code: 401, title: "Unauthorized", message: AUTHENTICATION_REQUIRED };
  return { ...json(401, { error }, challenge(identityUrl)), message: AUTHENTICATION_REQUIRED };
}

export function challenge(identityUrl: string): Readonly<Record<string, string>> {
  return { "www-authenticate": `Keystone uri="${identityUrl}"` };
}

import { type Dispatcher, FormData } from "undici";

/** One request, ready to be sent. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData | undefined;
  /** It changes nothing, so that its reply may take long while a lease is held. */
  readonly isRead: boolean;
  /** One or two words for observers: never a path, a name or a number. */
  readonly call: string;
  /** What log lines say of it: no key, no query, no body. */
  readonly logged: Readonly<Record<string, unknown>>;
}

/** One whole reply, not understood yet. */
export interface HttpReply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: HttpHeaders;
  readonly body: Buffer;
}

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A reply whose body is still on its way. */
export type HttpStream = Dispatcher.ResponseData;

/** The first value of a header; `name` in lower case. */
export function headerOf({ headers }: { readonly headers: HttpHeaders }, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** A body of `multipart/form-data`. */
export function multipartForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

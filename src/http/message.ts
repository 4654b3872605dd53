import { type Dispatcher, FormData } from "undici";

/** Request before it is sent. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData | undefined;
  /** The request is read-only, so its reply may take long even under a lease. */
  readonly isRead: boolean;
  /** One or two words for observers. Never a path, a name or a number. */
  readonly call: string;
  /** Fields for log lines, without keys, query and body. */
  readonly logged: Readonly<Record<string, unknown>>;
}

/** Complete, unparsed reply. */
export interface HttpReply {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: HttpHeaders;
  readonly body: Buffer;
}

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Reply whose body is still being received. */
export type HttpStream = Dispatcher.ResponseData;

/** Returns the first value of a header. `name` is in lower case. */
export function headerOf({ headers }: { readonly headers: HttpHeaders }, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Returns a body of type `multipart/form-data`. */
export function multipartForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

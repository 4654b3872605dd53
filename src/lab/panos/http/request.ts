/** One call of the interface, as the client's parameters say it, wherever they stood (query, form or multipart body). */
export interface ApiRequest {
  readonly method: string;
  /** All parameters but `key` and `password`. */
  readonly params: ReadonlyMap<string, string>;
  readonly credentials: Credentials;
  /** The content of a multipart field `file`, and its file name. */
  readonly upload?: { readonly name: string; readonly content: string } | undefined;
  /** Bytes of query and body. */
  readonly bytes: number;
}

export interface Credentials {
  readonly key: string | undefined;
  /** HTTP Basic. */
  readonly basic: { readonly user: string; readonly password: string } | undefined;
  /** Parameter of keygen. */
  readonly password: string | undefined;
}

/** The value of a parameter, or undefined when it is absent or empty. */
export function param(request: ApiRequest, name: string): string | undefined {
  const value = request.params.get(name);
  return value === "" ? undefined : value;
}

/** One API call, with the client's parameters from the query, the form or the multipart body. */
export interface ApiRequest {
  readonly method: string;
  /** All parameters except `key` and `password`. */
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

/** Returns the value of a parameter, or undefined if the parameter is absent or empty. */
export function param(request: ApiRequest, name: string): string | undefined {
  const value = request.params.get(name);
  return value === "" ? undefined : value;
}

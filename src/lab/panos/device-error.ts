/** An error reply of a device: `code` and the lines of its message. `form` selects the XML form of the reply. */
export class DeviceError extends Error {
  override readonly name = "DeviceError";
  readonly code: string | undefined;
  readonly lines: readonly string[];
  readonly form: "lines" | "nested-lines" | "result" | "plain" | "empty-result";
  /** Codes 7 and 13 also occur with the status `success`. */
  readonly status: "error" | "success";
  readonly http: number;

  constructor(
    code: string | undefined,
    lines: string | readonly string[],
    options: { readonly form?: DeviceError["form"]; readonly status?: DeviceError["status"]; readonly http?: number } = {},
  ) {
    const all = typeof lines === "string" ? [lines] : lines;
    super(all.join(" "));
    this.code = code;
    this.lines = all;
    this.form = options.form ?? "lines";
    this.status = options.status ?? "error";
    this.http = options.http ?? 200;
  }
}

/**
 * Returns the error for a missing or illegal parameter or a refused credential. Its XML uses single quotes, and the HTTP status equals
 * the code.
 */
export function requestError(code: "400" | "403", message: string): DeviceError {
  return new DeviceError(code, message, { form: "result", http: Number(code) });
}

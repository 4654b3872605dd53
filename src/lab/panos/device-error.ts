/** A refusal as devices give it: `code` and the lines of its message. `form` says which of their reply shapes carries it. */
export class DeviceError extends Error {
  override readonly name = "DeviceError";
  readonly code: string | undefined;
  readonly lines: readonly string[];
  readonly form: "lines" | "nested-lines" | "result" | "plain" | "empty-result";
  /** `success` occurs with codes 7 and 13. */
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

/** A missing or illegal parameter, or a refused credential: the shape with single quotes, and the code as HTTP status. */
export function requestError(code: "400" | "403", message: string): DeviceError {
  return new DeviceError(code, message, { form: "result", http: Number(code) });
}

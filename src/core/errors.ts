import { cutText } from "./cut-text.js";
import { redactUrls } from "./redact-urls.js";

/** Place of an error, so that the user can open the file or find the node. */
export interface Where {
  readonly file?: string | undefined;
  /** 1-based. */
  readonly line?: number | undefined;
  /** 1-based, in UTF-16 code units. */
  readonly column?: number | undefined;
  readonly xpath?: string | undefined;
  readonly target?: string | undefined;
}

/** `error` ends a run with exit code 1, `refused` with 3, `partial` with 4 (docs/guards.md#exit-codes). */
export type Severity = "error" | "refused" | "partial";

export interface ErrorOptions {
  readonly where?: Where | undefined;
  /** The next action for the user, as one imperative sentence. */
  readonly next?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly cause?: unknown;
}

/**
 * Base of every error that a user can get. `code` is kebab-case, stable, and documented in `src/report/error-reference` (its test checks this
 * for every `PlumblineError("<code>"` in `src/`). The constructor removes secrets in URLs from all texts and cuts a long
 * message.
 */
export class PlumblineError extends Error {
  override readonly name = "PlumblineError";
  readonly code: string;
  readonly where: Where;
  readonly next: string | undefined;
  readonly severity: Severity;

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(cutText(redactUrls(message)), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    const { where = {}, next } = options;
    this.where = where.file === undefined ? where : { ...where, file: redactUrls(where.file) };
    this.next = next === undefined ? undefined : redactUrls(next);
    this.severity = options.severity ?? "error";
  }
}

/** Several errors from one pass. A loader reports all errors, not only the first. */
export class PlumblineErrors extends Error {
  override readonly name = "PlumblineErrors";
  readonly errors: readonly PlumblineError[];

  constructor(errors: readonly PlumblineError[]) {
    super(errors.map((error) => error.message).join("\n"));
    this.errors = errors;
  }
}

/** Returns `file:line:column`, the XPath and the target, as far as they are known. Empty if all are unknown. */
export function formatWhere(where: Where): string {
  const place = where.file === undefined ? "" : [where.file, where.line, where.column].filter((part) => part !== undefined).join(":");
  return [place, where.xpath ?? "", where.target === undefined ? "" : `target ${where.target}`].filter((part) => part !== "").join(" · ");
}

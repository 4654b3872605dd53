import { cutText } from "./cut-text.js";
import { redactUrls } from "./redact-urls.js";

/** Where an error stands: enough for a person to open the right file or find the right node. */
export interface Where {
  readonly file?: string | undefined;
  /** 1-based. */
  readonly line?: number | undefined;
  /** 1-based, in UTF-16 code units. */
  readonly column?: number | undefined;
  readonly xpath?: string | undefined;
  readonly target?: string | undefined;
}

/** `error` ends a run with exit 1, `refused` with exit 3, `partial` with exit 4 (docs/plan.md#exit-codes). */
export type Severity = "error" | "refused" | "partial";

export interface ErrorOptions {
  readonly where?: Where | undefined;
  /** What to do next, one imperative sentence. */
  readonly next?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly cause?: unknown;
}

/**
 * Every error that a user can meet. `code` is kebab-case, stable, and has a page `docs/errors/<code>.md`
 * (`test/core/errors.test.ts` checks that for every `PlumblineError("<code>"` in `src/`). Secrets in URLs are removed from its texts, and
 * a long message is cut.
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

/** Several errors found in one pass (a loader reports all of them, not the first). */
export class PlumblineErrors extends Error {
  override readonly name = "PlumblineErrors";
  readonly errors: readonly PlumblineError[];

  constructor(errors: readonly PlumblineError[]) {
    super(errors.map((error) => error.message).join("\n"));
    this.errors = errors;
  }
}

/** `file:line:column`, the XPath and the target, as far as they are known; empty when nothing is. */
export function formatWhere(where: Where): string {
  const place = where.file === undefined ? "" : [where.file, where.line, where.column].filter((part) => part !== undefined).join(":");
  return [place, where.xpath ?? "", where.target === undefined ? "" : `target ${where.target}`].filter((part) => part !== "").join(" · ");
}

import { type PlumblineError, PlumblineErrors } from "../core/errors.js";

/** All errors and warnings of one load, so that a user sees all of them together. */
export class Problems {
  readonly errors: PlumblineError[] = [];
  readonly warnings: PlumblineError[] = [];

  readonly #reported = new Set<string>();

  /** Records an error once: a document for several targets is read for each of them. */
  error(error: PlumblineError): void {
    if (this.#isNew(error)) this.errors.push(error);
  }

  warn(warning: PlumblineError): void {
    if (this.#isNew(warning)) this.warnings.push(warning);
  }

  #isNew({ code, message, where: { file, line, column } }: PlumblineError): boolean {
    const key = JSON.stringify([code, message, file, line, column]);
    if (line !== undefined && this.#reported.has(key)) return false;
    this.#reported.add(key);
    return true;
  }

  /** Throws all errors, if there are any. */
  throwIfAny(): void {
    if (this.errors.length === 0) return;
    throw new PlumblineErrors(sortByPlace(this.errors));
  }
}

/** Sorts by file, line and column. Errors without a place come first. */
export function sortByPlace(errors: readonly PlumblineError[]): PlumblineError[] {
  return [...errors].sort(
    (a, b) =>
      compare(a.where.file ?? "", b.where.file ?? "") ||
      (a.where.line ?? 0) - (b.where.line ?? 0) ||
      (a.where.column ?? 0) - (b.where.column ?? 0),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

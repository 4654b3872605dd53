import { PlumblineError, PlumblineErrors, type Severity, type Where } from "../../core/errors.js";
import type { CommitToLoad } from "../load-commit.js";
import type { LoadedTargets, Since } from "./loader.js";

/** Message that starts the loading process. */
export interface LoadRequest {
  readonly wanted: Omit<CommitToLoad, "kinds" | "owns">;
  readonly since:
    | (Pick<Since, "changed" | "folder"> & {
        readonly before: {
          readonly commit: string;
          readonly author: string | undefined;
          /** Content of its plumbline.yaml. */
          readonly configuration: string;
          readonly targets: LoadedTargets["targets"];
        };
      })
    | undefined;
  /** Milliseconds after which the process ends itself, even if its parent has ended. */
  readonly patience: number;
  /** Maximum milliseconds of processor time to read plumbline.yaml, or the documents of one target. */
  readonly visit: number;
}

/** Message of the loading process: a ledger query (any number of times) or the result. */
export type LoaderWord =
  | { readonly kind: "owns"; readonly id: number; readonly question: readonly [owner: string, target: string, ledger: string | undefined] }
  | ({ readonly kind: "loaded" } & LoadedTargets)
  | { readonly kind: "failed"; readonly several: boolean; readonly errors: readonly PlainError[] };

/** Answer to a ledger query. */
export interface OwnsAnswer {
  readonly id: number;
  readonly owns: boolean | PlainError;
}

export interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly where: Where;
  readonly next: string | undefined;
  readonly severity: Severity;
}

/** Errors of other classes are unexpected. Their message is kept. */
export function plainError(error: unknown): PlainError {
  if (error instanceof PlumblineError) {
    const { code, message, where, next, severity } = error;
    return { code, message, where, next, severity };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "unexpected", message, where: {}, next: "This should not happen; please report it with the log.", severity: "error" };
}

export function failureOf(error: unknown): Extract<LoaderWord, { kind: "failed" }> {
  const several = error instanceof PlumblineErrors;
  return { kind: "failed", several, errors: several ? error.errors.map(plainError) : [plainError(error)] };
}

export function errorOf({ code, message, ...more }: PlainError): PlumblineError {
  return new PlumblineError(code, message, more);
}

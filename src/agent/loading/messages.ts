import { PlumblineError, PlumblineErrors, type Severity, type Where } from "../../core/errors.js";
import type { CommitToLoad } from "../load-commit.js";
import type { LoadedTargets, Since } from "./loader.js";

/** What the process that loads is told, once. */
export interface LoadRequest {
  readonly wanted: Omit<CommitToLoad, "kinds" | "owns">;
  readonly since:
    | (Pick<Since, "changed" | "folder"> & {
        readonly before: {
          readonly commit: string;
          readonly author: string | undefined;
          /** What its plumbline.yaml said. */
          readonly configuration: string;
          readonly targets: LoadedTargets["targets"];
        };
      })
    | undefined;
  /** Milliseconds after which it ends itself, also when nobody is left to end it. */
  readonly patience: number;
  /** Milliseconds of processor time that plumbline.yaml, or what one target needs, may take to read. */
  readonly visit: number;
}

/** What it says: a question about the ledger, any number of times, or what it came to. */
export type LoaderWord =
  | { readonly kind: "owns"; readonly id: number; readonly question: readonly [owner: string, target: string, ledger: string | undefined] }
  | ({ readonly kind: "loaded" } & LoadedTargets)
  | { readonly kind: "failed"; readonly several: boolean; readonly errors: readonly PlainError[] };

/** The answer to a question. */
export interface OwnsAnswer {
  readonly id: number;
  readonly owns: boolean | PlainError;
}

interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly where: Where;
  readonly next: string | undefined;
  readonly severity: Severity;
}

/** What is no error of ours is one nobody foresaw: its message is kept. */
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

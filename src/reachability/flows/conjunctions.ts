import type { Unknown } from "./policy.js";

/** Subject of an unknown: a field of the flow, or a circumstance independent of the flow. */
export type Subject = "source" | "destination" | "application" | "service" | "user" | "circumstance";

export interface SubjectUnknown {
  readonly subject: Subject;
  readonly unknown: Unknown;
}

/**
 * Conjunctions of literals over unknowns, as small numbers; equal conjunctions have equal ids. A literal is twice the number of its
 * unknown, plus one if the unknown must not hold. Unknowns with equal subject, kind and definition are identical. Different unknowns are
 * assumed to be independent.
 */
export class Conjunctions {
  /** The empty conjunction, which always holds. */
  static readonly TRUE = 0;
  /** A conjunction that contains a literal and its opposite. */
  static readonly NEVER = -1;

  readonly #unknowns: SubjectUnknown[] = [];
  readonly #byDefinition = new Map<string, number>();
  /** Cache of numbers, by subject and unknown. */
  readonly #seen = new Map<Subject, Map<Unknown, number>>();
  readonly #literals: (readonly number[])[] = [[]];
  readonly #byLiterals = new Map<string, number>([["", Conjunctions.TRUE]]);
  readonly #memory = new Map<number, number>();

  /** Returns the literal for `unknown` and `subject`. */
  literal(subject: Subject, unknown: Unknown, holds: boolean): number {
    const seen = this.#seen.get(subject) ?? new Map<Unknown, number>();
    this.#seen.set(subject, seen);
    const at = seen.get(unknown) ?? this.#numberOf(subject, unknown);
    seen.set(unknown, at);
    return 2 * at + (holds ? 0 : 1);
  }

  #numberOf(subject: Subject, unknown: Unknown): number {
    const definition = JSON.stringify([subject, unknown.kind, unknown.definition]);
    const known = this.#byDefinition.get(definition);
    const at = known ?? this.#unknowns.push({ subject, unknown }) - 1;
    this.#byDefinition.set(definition, at);
    return at;
  }

  of(literals: readonly number[]): number {
    if (literals.length === 0) return Conjunctions.TRUE;
    const sorted = [...new Set(literals)].sort((a, b) => a - b);
    if (sorted.some((literal, at) => literal % 2 === 0 && sorted[at + 1] === literal + 1)) return Conjunctions.NEVER;
    const key = sorted.join();
    const known = this.#byLiterals.get(key);
    if (known !== undefined) return known;
    const id = this.#literals.push(sorted) - 1;
    this.#byLiterals.set(key, id);
    return id;
  }

  /** Returns a conjunction, or `NEVER`. */
  and(a: number, b: number): number {
    if (a === b || b === Conjunctions.TRUE) return a;
    if (a === Conjunctions.TRUE) return b;
    const key = a < b ? a * 2 ** 26 + b : b * 2 ** 26 + a;
    const known = this.#memory.get(key);
    if (known !== undefined) return known;
    const both = this.of([...this.literals(a), ...this.literals(b)]);
    this.#memory.set(key, both);
    return both;
  }

  /** Returns whether `a` implies `b`: it contains all literals of `b`. */
  implies(a: number, b: number): boolean {
    return a === b || b === Conjunctions.TRUE || (a !== Conjunctions.TRUE && this.and(a, b) === a);
  }

  literals(id: number): readonly number[] {
    return this.#literals[id] as readonly number[];
  }

  unknownOf(literal: number): SubjectUnknown {
    return this.#unknowns[literal >> 1] as SubjectUnknown;
  }
}

/** Returns the negated literal. */
export const opposite = (literal: number): number => literal ^ 1;

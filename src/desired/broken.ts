import type { PlumblineError, Where } from "../core/errors.js";

/** Targets whose references cannot be resolved, with why. One that depends on a broken target is broken too. */
export class Broken {
  readonly #errors = new Map<string, PlumblineError[]>();
  /** What `where:` of a `$forEach` left out, by target: no error, and never silent. */
  readonly leftOut = new Map<string, string[]>();

  add(target: string, error: PlumblineError): void {
    const known = this.#errors.get(target);
    if (known === undefined) this.#errors.set(target, [error]);
    else known.push(error);
  }

  leaveOut(target: string, text: string, { file, line }: Where): void {
    const told = `${text} (${file}:${line})`;
    const known = this.leftOut.get(target);
    if (known === undefined) this.leftOut.set(target, [told]);
    else if (!known.includes(told)) known.push(told);
  }

  /** All of them; `dependsOn` gives the targets that a target refers to. */
  spread(targets: Iterable<string>, dependsOn: (target: string) => Iterable<string>): ReadonlyMap<string, readonly PlumblineError[]> {
    const pending = [...targets];
    for (let grew = true; grew; ) {
      grew = false;
      for (const target of pending) {
        if (this.#errors.has(target)) continue;
        const cause = [...dependsOn(target)].find((other) => this.#errors.has(other));
        if (cause === undefined) continue;
        this.#errors.set(target, [...(this.#errors.get(cause) ?? [])]);
        grew = true;
      }
    }
    return this.#errors;
  }
}

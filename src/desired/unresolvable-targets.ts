import type { PlumblineError, Where } from "../core/errors.js";

/** Targets with unresolvable references, and the errors. A target that depends on a broken one is broken, too. */
export class UnresolvableTargets {
  readonly #errors = new Map<string, PlumblineError[]>();
  /** By target: objects that `where:` of a `$forEach` omitted. Not an error, but always reported. */
  readonly leftOut = new Map<string, string[]>();

  add(target: string, error: PlumblineError): void {
    const known = this.#errors.get(target);
    if (known === undefined) this.#errors.set(target, [error]);
    else known.push(error);
  }

  leaveOut(target: string, text: string, { file, line }: Where): void {
    const message = `${text} (${file}:${line})`;
    const known = this.leftOut.get(target);
    if (known === undefined) this.leftOut.set(target, [message]);
    else if (!known.includes(message)) known.push(message);
  }

  /** Returns all broken targets. `dependsOn` returns the targets that a target refers to. */
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

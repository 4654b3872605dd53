import { inspect } from "node:util";

/**
 * A value that must never be shown. Whatever prints, logs or serialises it gets the label; only code that puts
 * it on a wire calls `reveal()`. Secrets are known by this type, never by searching text for them.
 */
export class SecretValue {
  readonly #value: string;
  /** What may be shown in its place, for example `${env:FW_PASSWORD}` or `«stored secret»`. */
  readonly label: string;

  constructor(value: string, label: string) {
    this.#value = value;
    this.label = label;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return this.label;
  }

  toJSON(): string {
    return this.label;
  }

  [inspect.custom](): string {
    return this.label;
  }
}

/** Text that a file says plainly, or what a reference in it stands for: the latter is a secret, whatever it is for. */
export type SaidText = string | SecretValue;

/** What goes on the wire. */
export function reveal(said: SaidText): string {
  return said instanceof SecretValue ? said.reveal() : said;
}

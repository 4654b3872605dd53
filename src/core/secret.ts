import { inspect } from "node:util";

/**
 * A value that must never be shown. Printing, logging and serializing give the label; only code that sends the value calls `reveal()`.
 * Secrets are identified by this type, never by searching text.
 */
export class SecretValue {
  readonly #value: string;
  /** Text that may be shown instead, for example `${env:FW_PASSWORD}` or `«stored secret»`. */
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

/** Plain text of a file, or the value of a reference in it. A referenced value is always a secret. */
export type TextOrSecret = string | SecretValue;

/** Returns the text to send. */
export function reveal(text: TextOrSecret): string {
  return text instanceof SecretValue ? text.reveal() : text;
}

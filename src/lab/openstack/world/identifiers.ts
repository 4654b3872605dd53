/** Generates ids, tokens and passwords from one source of random bytes. */
export class Identifiers {
  readonly #random: (length: number) => Buffer;

  constructor(random: (length: number) => Buffer) {
    this.#random = random;
  }

  /** Returns 32 hexadecimal digits, the id format of projects and users. */
  hex(): string {
    return this.#random(16).toString("hex");
  }

  /** Returns a version 4 UUID. */
  uuid(): string {
    const bytes = this.#random(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = bytes.toString("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }

  /** Returns `length` characters that are safe in a header. */
  text(length: number): string {
    return this.#random(length).toString("base64url").slice(0, length);
  }

  /** Returns a MAC address in the range that OpenStack uses for ports. */
  mac(): string {
    return ["fa", "16", "3e", ...[...this.#random(3)].map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
  }
}

/** Makes what the services make up: ids, tokens, passwords. All of it comes from one source of random bytes. */
export class Identifiers {
  readonly #random: (length: number) => Buffer;

  constructor(random: (length: number) => Buffer) {
    this.#random = random;
  }

  /** 32 hexadecimal digits, as the identity service names projects and users. */
  hex(): string {
    return this.#random(16).toString("hex");
  }

  /** A version 4 UUID. */
  uuid(): string {
    const bytes = this.#random(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = bytes.toString("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }

  /** So many characters that are safe in a header. */
  text(length: number): string {
    return this.#random(length).toString("base64url").slice(0, length);
  }

  /** An address of the range that OpenStack gives its ports. */
  mac(): string {
    return ["fa", "16", "3e", ...[...this.#random(3)].map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
  }
}

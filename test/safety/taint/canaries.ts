import { randomBytes } from "node:crypto";

/** Secrets that are like no other text, each with the place that it was put in. */
export class Canaries {
  readonly #values = new Map<string, string>();

  /** The secret of a place: the same for the same place. */
  of(place: string): string {
    const value = this.#values.get(place) ?? `cnry${randomBytes(12).toString("hex")}`;
    this.#values.set(place, value);
    return value;
  }

  /** A secret that something else has chosen. */
  hold(place: string, value: string): void {
    this.#values.set(place, value);
  }

  get places(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** The secrets that a text contains, in plain or reversible encodings. */
  in(said: Buffer | string): string[] {
    const text = Buffer.isBuffer(said) ? said.toString("latin1") : Buffer.from(said).toString("latin1");
    const folded = text.toLowerCase();
    return [...this.#values]
      .filter(([, value]) => folded.includes(value) || folded.includes(hexOf(value)) || base64Of(value).some((each) => text.includes(each)))
      .map(([place]) => place);
  }
}

function hexOf(value: string): string {
  return Buffer.from(value).toString("hex");
}

/** At any offset of a longer text: characters that depend on the neighbors are ignored. */
function base64Of(value: string): string[] {
  return [0, 1, 2].map((before) =>
    Buffer.from("?".repeat(before) + value)
      .toString("base64")
      .slice(before === 0 ? 0 : before + 1, -4),
  );
}

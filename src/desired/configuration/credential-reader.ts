import { PlumblineError, type Where } from "../../core/errors.js";
import { SecretValue, type TextOrSecret } from "../../core/secret.js";
import type { Problems } from "../problems.js";
import { type SecretReader, SymbolicSecret } from "../secrets.js";
import { isSecretReference, parseTemplate } from "../template.js";

/** Reads `credentials:` of all targets, and the other secrets of `plumbline.yaml`. */
export class CredentialReader {
  readonly #secrets: SecretReader;
  readonly #problems: Problems;
  readonly #used = new Map<string, Set<string>>();
  readonly #where: (keys: readonly string[]) => Where;
  readonly #resolves: (target: string | undefined) => boolean;

  constructor(options: {
    secrets: SecretReader;
    problems: Problems;
    where: (keys: readonly string[]) => Where;
    /** Returns whether this run may read the secrets of a target. Undefined stands for secrets that all targets share. */
    resolves: (target: string | undefined) => boolean;
  }) {
    this.#secrets = options.secrets;
    this.#problems = options.problems;
    this.#where = options.where;
    this.#resolves = options.resolves;
  }

  /** Returns the references in the login of a target, each as `env:NAME`. */
  referencesOf(target: string): ReadonlySet<string> {
    return this.#used.get(target) ?? new Set();
  }

  /** Reads a value at `keys` of the target that may be plain text. A value with a reference is a secret. */
  async text(target: string, keys: readonly string[], value: string | undefined): Promise<TextOrSecret | undefined> {
    const read = await this.#read(["targets", target, ...keys], target, value);
    if (read === undefined || value === undefined) return undefined;
    return read.refers ? secretOf(read.value, value) : read.value;
  }

  /** Reads a value at `keys` of the target that must be a reference, because `plumbline.yaml` is in git. */
  async secret(target: string, keys: readonly string[], value: string | undefined): Promise<SecretValue | undefined> {
    return await this.#secret(["targets", target, ...keys], target, value);
  }

  /** Reads the fingerprint key, which all machines that share a ledger need. */
  async fingerprintKey(value: string | undefined): Promise<SecretValue | undefined> {
    return await this.#secret(["fingerprintKey"], undefined, value);
  }

  async #secret(keys: readonly string[], target: string | undefined, value: string | undefined): Promise<SecretValue | undefined> {
    const read = await this.#read(keys, target, value);
    if (read === undefined || value === undefined) return undefined;
    if (!read.refers) {
      this.#problems.error(
        new PlumblineError("plaintext-secret", `The ${keys.at(-1)} is plain text in plumbline.yaml.`, {
          where: { ...this.#where(keys), target },
          next: "Write a reference (${env:NAME}, ${file:PATH}, ${exec:COMMAND}); then change the secret, because git remembers it.",
        }),
      );
      return undefined;
    }
    return secretOf(read.value, value);
  }

  /** `value` is undefined if references were not resolved. */
  async #read(
    keys: readonly string[],
    target: string | undefined,
    text: string | undefined,
  ): Promise<{ value: string | undefined; refers: boolean } | undefined> {
    if (text === undefined) return undefined;
    const where = (): Where => ({ ...this.#where(keys), target });
    const template = parseTemplate(text);
    if ("unclosedAt" in template) return this.#bad(where());
    const parts: string[] = [];
    let left = false;
    for (const part of template) {
      if (typeof part === "string") parts.push(part);
      else if (!isSecretReference(part)) return this.#bad(where());
      else if (!this.#resolves(target)) left = true;
      else {
        this.#note(target, `${part.kind}:${part.argument}`);
        try {
          parts.push(await this.#secrets.read(part, where()));
        } catch (cause) {
          if (!(cause instanceof PlumblineError)) throw cause;
          this.#problems.error(cause);
          return undefined;
        }
      }
    }
    return { value: left ? undefined : parts.join(""), refers: template.some((part) => typeof part !== "string") };
  }

  #note(target: string | undefined, reference: string): void {
    if (target === undefined) return;
    const used = this.#used.get(target) ?? new Set();
    this.#used.set(target, used.add(reference));
  }

  #bad(where: Where): undefined {
    this.#problems.error(
      new PlumblineError("unknown-reference", "The reference cannot be read.", {
        where,
        next: "Write ${env:NAME}, ${file:PATH} or ${exec:COMMAND}; $${ is a literal ${.",
      }),
    );
    return undefined;
  }
}

function secretOf(value: string | undefined, label: string): SecretValue {
  return value === undefined ? new SymbolicSecret(label) : new SecretValue(value, label);
}

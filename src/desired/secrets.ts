import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { PlumblineError, type Where } from "../core/errors.js";
import { FileRefused, readRegularFile } from "../core/regular-file.js";
import { SecretValue } from "../core/secret.js";
import { approvedReferences, type ReferencePolicy } from "./approved.js";
import { type CommandPolicy, NO_COMMANDS } from "./commands.js";
import type { StoredSecrets } from "./secret-stores/stored.js";
import type { SecretReference } from "./template.js";

const run = promisify(execFile);
const COMMAND_TIMEOUT_MS = 30_000;
const COMMAND_OUTPUT_BYTES = 1_048_576;
const FILE_BYTES = 1_048_576;

/** An unresolved secret (`plumbline validate`). It can be printed and compared by label, but never written. */
export class SymbolicSecret extends SecretValue {
  constructor(label: string) {
    super("", label);
  }

  override reveal(): string {
    throw new PlumblineError("secret-not-resolved", `${this.label} was not resolved in this run.`, {
      next: "Run a command that may read secrets (plan, reconcile, drift), not validate.",
    });
  }
}

/**
 * Reads environment variables, files, the output of commands and secret stores, each reference once per run. Errors never contain the
 * value.
 */
export class SecretReader {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #folder: string;
  readonly #mayRun: CommandPolicy;
  #approved: { readonly policy: ReferencePolicy | undefined } | undefined;
  readonly #known = new Map<string, Promise<string>>();
  #stores: Promise<StoredSecrets> | undefined;

  /** Relative files and commands start at `folder`. */
  constructor(environment: Readonly<Record<string, string | undefined>>, folder: string, mayRun: CommandPolicy = NO_COMMANDS) {
    this.#mayRun = mayRun;
    this.#environment = environment;
    this.#folder = folder;
  }

  /** Returns the value of a reference, without a final line break of a file or an output. */
  read(reference: SecretReference, where: Where): Promise<string> {
    let value = this.#known.get(reference.text);
    if (value === undefined) {
      value = this.#read(reference, where);
      this.#known.set(reference.text, value);
    }
    return value;
  }

  async #read(reference: SecretReference, where: Where): Promise<string> {
    this.#approved ??= { policy: approvedReferences(this.#environment.PLUMBLINE_APPROVED, this.#folder) };
    if (this.#approved.policy?.(reference) === false) throw notApproved(reference, where);
    switch (reference.kind) {
      case "env": {
        const value = this.#environment[reference.argument];
        if (value !== undefined && value !== "") return value;
        throw unavailable(reference, `the environment variable ${reference.argument} is ${value === "" ? "empty" : "not set"}`, where);
      }
      case "file":
        return notEmpty(reference, await this.#file(reference, where), where);
      case "exec":
        return notEmpty(reference, await this.#command(reference, where), where);
      case "credential":
      case "sops":
      case "vault": {
        const stored = await this.#inStore(reference);
        if ("why" in stored) throw unavailable(reference, stored.why, where);
        return notEmpty(reference, stored.value, where);
      }
    }
  }

  /** Loads the code for secret stores only when needed. */
  async #inStore(reference: SecretReference): Promise<Awaited<ReturnType<StoredSecrets["read"]>>> {
    this.#stores ??= import("./secret-stores/stored.js").then(({ StoredSecrets }) => new StoredSecrets(this.#environment, this.#folder));
    return await (await this.#stores).read(reference);
  }

  async #file(reference: SecretReference, where: Where): Promise<string> {
    try {
      return (await readRegularFile(resolve(this.#folder, reference.argument), FILE_BYTES)).toString("utf8");
    } catch (cause) {
      const why = cause instanceof FileRefused ? cause.message : `cannot be read (${errorCode(cause)})`;
      throw unavailable(reference, `the file ${why}`, where);
    }
  }

  async #command(reference: SecretReference, where: Where): Promise<string> {
    if (!this.#mayRun(reference.argument)) {
      throw new PlumblineError("secret-command-not-allowed", `${reference.text}: this run may not run commands of the desired state.`, {
        where,
        next: "If every author of this commit may run commands here, use --allow-exec or set PLUMBLINE_ALLOW_EXEC.",
      });
    }
    try {
      const { stdout } = await run("/bin/sh", ["-c", reference.argument], {
        cwd: this.#folder,
        env: this.#environment as NodeJS.ProcessEnv,
        timeout: COMMAND_TIMEOUT_MS,
        maxBuffer: COMMAND_OUTPUT_BYTES,
      });
      return stdout;
    } catch (cause) {
      const status = (cause as { code?: unknown; killed?: boolean }).killed
        ? `did not end within ${COMMAND_TIMEOUT_MS / 1000} s`
        : `failed (exit ${errorCode(cause)})`;
      throw unavailable(reference, `the command ${status}`, where);
    }
  }
}

function notApproved(reference: SecretReference, where: Where): PlumblineError {
  return new PlumblineError("reference-not-approved", `${reference.text} is not an allowed reference here.`, {
    where,
    next: "Add it to references: of plumbline.yaml in a separate commit, and merge that first.",
  });
}

function notEmpty(reference: SecretReference, text: string, where: Where): string {
  const value = text.replace(/\r?\n$/, "");
  if (value === "") throw unavailable(reference, "it gives an empty text", where);
  return value;
}

function unavailable(reference: SecretReference, why: string, where: Where): PlumblineError {
  return new PlumblineError("secret-unavailable", `${reference.text}: ${why}.`, {
    where,
    next: "Set it for this run, or correct the reference.",
  });
}

function errorCode(cause: unknown): string {
  return String((cause as { code?: unknown }).code ?? "unknown");
}

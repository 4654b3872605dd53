import { createHash, createHmac, randomBytes } from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../core/atomic-file.js";
import { PlumblineError } from "../../core/errors.js";
import type { SecretValue } from "../../core/secret.js";
import type { SecretLeaf } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { SecretState } from "../../plan/model.js";
import type { LedgerRecord } from "./ledger.js";

/** Keyed fingerprints (HMAC-SHA256, hex) of secrets. They allow comparing secrets without storing them (docs/ownership.md#secrets). */
export class Fingerprints {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  of(path: string, side: "plain" | "stored", value: SecretValue): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([side, path, value.reveal()]))
      .digest("hex");
  }

  /**
   * Fingerprints for the ledger after our secret was written or found equal. If the target shows our plain text, there is no stored form.
   */
  pair(path: string, declared: SecretValue, live: SecretLeaf): LedgerRecord["secrets"][string] {
    if (declared.reveal() === live.secret.reveal()) return { plain: this.of(path, "plain", declared), stored: NOT_READ_BACK };
    return { plain: this.of(path, "plain", declared), stored: this.of(path, "stored", live.secret) };
  }

  /** Fingerprints for a secret under `${keep}`: the stored value and the name of the key. */
  kept(path: string, { secret }: SecretLeaf): LedgerRecord["secrets"][string] {
    return { plain: `${KEPT}${this.#keyName()}`, stored: this.of(path, "stored", secret) };
  }

  /** Compares a stored secret with the ledger. `unknown` if the ledger has no fingerprint for it. */
  keptState(record: LedgerRecord | undefined, path: string, { secret }: SecretLeaf): SecretState {
    const known = record?.secrets[path];
    if (known === undefined || known.stored === NOT_READ_BACK) return "unknown";
    if (known.stored === this.of(path, "stored", secret)) return "equal";
    return known.plain === `${KEPT}${this.#keyName()}` ? "changed" : "other-key";
  }

  /** Reports whether a fingerprint names another key as its maker. */
  isOfAnotherKey({ plain }: LedgerRecord["secrets"][string]): boolean {
    return plain.startsWith(KEPT) && plain !== `${KEPT}${this.#keyName()}`;
  }

  #keyName(): string {
    return createHmac("sha256", this.#key).update("plumbline key name").digest("hex").slice(0, 12);
  }

  /** Reports whether the ledger knows the shown value, as our plain text or as its stored form. */
  knows(path: string, { plain, stored }: LedgerRecord["secrets"][string], { secret }: SecretLeaf): boolean {
    return plain === this.of(path, "plain", secret) || stored === this.of(path, "stored", secret);
  }

  /**
   * Compares the stored secret with ours. `equal` if neither our plain text nor the stored form changed since the ledger was written, or if
   * the device shows our plain text. `unknown` if the ledger has no entry. `changed` if the desired state has no secret there and the
   * ledger does.
   */
  state(record: LedgerRecord | undefined, path: Path, desired: DesiredNode, live: SecretLeaf): SecretState {
    if (desired.handling?.keep === true) return this.keptState(record, path.toString(), live);
    const declared = desired.handling?.secret;
    if (declared === undefined) return record?.secrets[path.toString()] === undefined ? "unknown" : "changed";
    if (declared.reveal() === live.secret.reveal()) return "equal";
    const at = path.toString();
    const known = record?.secrets[at];
    if (known === undefined || known.plain.startsWith(KEPT)) return "unknown";
    return known.plain === this.of(at, "plain", declared) && known.stored === this.of(at, "stored", live.secret) ? "equal" : "changed";
  }
}

/** In the place of a stored fingerprint: we are about to write the secret, or were killed before it was read back. */
export const NOT_READ_BACK = "";

/** Prefix of the fingerprint of a secret under `${keep}`. The name of the key follows. */
const KEPT = "kept:";

const MANY = 3;

/**
 * Refuses when most of the stored secrets that the ledger knows arrive in another form: the device has a new master key,
 * and to write every secret again would not help.
 * @param live stored secrets by XPath, as read in this pass.
 * @throws PlumblineError `master-key-changed`
 */
export function refuseNewMasterKey(
  fingerprints: Fingerprints,
  record: LedgerRecord | undefined,
  live: ReadonlyMap<string, SecretLeaf>,
  allowed: boolean,
): void {
  if (record === undefined || allowed) return;
  const known = Object.entries(record.secrets).flatMap(([path, pair]) => {
    const leaf = live.get(path);
    return leaf === undefined || pair.stored === NOT_READ_BACK || fingerprints.isOfAnotherKey(pair)
      ? []
      : [pair.stored === fingerprints.of(path, "stored", leaf.secret)];
  });
  const changed = known.filter((same) => !same).length;
  if (changed < MANY || changed * 2 <= known.length) return;
  throw new PlumblineError("master-key-changed", `${changed} of ${known.length} stored secrets came back encrypted in another way`, {
    where: { target: record.target },
    next: "Find out whether the device's master key was changed; if so run `plumbline adopt`, else pass --allow master-key to write them again.",
    severity: "refused",
  });
}

/** Derives the key of 32 bytes from a secret of the configuration. */
export function keyFrom(secret: SecretValue): Buffer {
  return createHash("sha256").update(`plumbline fingerprint key\n${secret.reveal()}`).digest();
}

/**
 * Reads the key in `<state>/fingerprint.key`. Creates it on first use, readable only by this user. With another key, every secret is
 * `unknown`.
 */
export async function stateKey(stateFolder: string): Promise<Buffer> {
  const file = join(stateFolder, "fingerprint.key");
  await mkdir(stateFolder, { recursive: true });
  try {
    const handle = await open(file, "wx", 0o600);
    try {
      await handle.writeFile(`${randomBytes(32).toString("hex")}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolder(stateFolder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const key = Buffer.from((await readFile(file, "utf8")).trim(), "hex");
  if (key.length === 32) return key;
  throw new PlumblineError("fingerprint-key-malformed", `${file} does not hold a key of 64 hexadecimal digits`, {
    where: { file },
    next: "Restore the file, or remove it: stored secrets are then unknown until they are rotated.",
  });
}

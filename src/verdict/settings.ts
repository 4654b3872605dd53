import { resolve } from "node:path";
import { PlumblineError } from "../core/errors.js";
import { readRegularFile, whyUnread } from "../core/regular-file.js";
import { SecretValue } from "../core/secret.js";
import { unreadable } from "./inputs.js";
import { STANDARD_ALLOTMENT, type VerdictService } from "./service.js";

/** Flags for the service. Each overrides its environment variable. */
export interface ServiceFlags {
  readonly url?: string;
  readonly keyFile?: string;
  readonly ca?: string;
  readonly pin?: string;
  readonly insecure?: boolean;
  readonly plaintext?: boolean;
  readonly allotment?: number;
  /** Seconds. */
  readonly timeout?: number;
}

/** Maximum size of the file with the key, in bytes. */
const MOST_KEY_BYTES = 1_048_576;
const DEFAULT_TIMEOUT = 30;

/**
 * Returns the settings from flags and `PLUMBLINE_VERDICT_URL`, `_KEY`, `_CA`, `_ALLOTMENT`. There is no default address: hashes are only
 * sent to a service that the user names. Throws `verdict-url-missing`, `verdict-url-invalid`, `verdict-key-missing`,
 * `hash-file-unreadable` for the key file, `option-invalid` for the allotment.
 */
export async function serviceSettings(
  flags: ServiceFlags,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<VerdictService> {
  const ca = flags.ca ?? nonEmpty(environment.PLUMBLINE_VERDICT_CA);
  return {
    url: addressOf(flags.url ?? nonEmpty(environment.PLUMBLINE_VERDICT_URL)),
    key: await keyOf(flags.keyFile, nonEmpty(environment.PLUMBLINE_VERDICT_KEY), folder),
    tls: {
      ca: ca === undefined ? undefined : resolve(folder, ca),
      pin: flags.pin,
      insecure: flags.insecure ?? false,
      plaintext: flags.plaintext ?? false,
    },
    timeout: flags.timeout ?? DEFAULT_TIMEOUT,
    allotment: flags.allotment ?? allotmentOf(nonEmpty(environment.PLUMBLINE_VERDICT_ALLOTMENT)),
  };
}

function addressOf(text: string | undefined): string {
  if (text === undefined) {
    throw new PlumblineError("verdict-url-missing", "No verdict service is named: PLUMBLINE_VERDICT_URL is not set.", {
      next: "Set PLUMBLINE_VERDICT_URL or --url. No public service is used by default.",
    });
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return text;
  throw new PlumblineError("verdict-url-invalid", "The address of the verdict service is not of the form https://host:port.", {
    next: "Correct PLUMBLINE_VERDICT_URL or --url; the key has a variable of its own.",
  });
}

async function keyOf(file: string | undefined, variable: string | undefined, folder: string): Promise<SecretValue> {
  if (file !== undefined) {
    const bytes = await readRegularFile(resolve(folder, file), MOST_KEY_BYTES).catch((error: unknown) => {
      throw unreadable(file, whyUnread(error));
    });
    const [first = ""] = bytes.toString("utf8").trim().split(/\r?\n/);
    if (first !== "") return new SecretValue(first.trim(), `«key of ${file}»`);
  } else if (variable !== undefined) {
    return new SecretValue(variable.trim(), "${env:PLUMBLINE_VERDICT_KEY}");
  }
  throw new PlumblineError("verdict-key-missing", "There is no key for the verdict service: PLUMBLINE_VERDICT_KEY is not set.", {
    where: { file },
    next: "Set PLUMBLINE_VERDICT_KEY, or name a file that holds the key with --key-file.",
  });
}

function allotmentOf(text: string | undefined): number {
  if (text === undefined) return STANDARD_ALLOTMENT;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new PlumblineError("option-invalid", `PLUMBLINE_VERDICT_ALLOTMENT is "${text}", not a number of queries.`, {
    next: "Give the daily queries of the account, for example 1050.",
  });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}

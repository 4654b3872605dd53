import { resolve } from "node:path";
import { SecretValue } from "../../core/secret.js";
import type { TlsTrust } from "../../core/tls-trust.js";
import { TAKEOVER_AFTER_SECONDS, type TargetConfiguration } from "./configuration.js";
import type { CredentialReader } from "./credential-reader.js";
import type { commonSchema, tls } from "./target-schema.js";
import type { TextOf } from "./text-of.js";

export const REQUEST_TIMEOUT_SECONDS = 60;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Keys of every kind of target. */
export type CommonText = TextOf<typeof commonSchema>;

export type TlsText = TextOf<typeof tls>;

/** Context for reading one target. */
export interface TargetContext {
  readonly name: string;
  /** Absolute path of the folder of `plumbline.yaml`. */
  readonly folder: string;
  readonly credentials: CredentialReader;
  /** Targets that are already read, by name. Includes all targets that this one refers to. */
  readonly others: ReadonlyMap<string, TargetConfiguration>;
  /** Returns `PLUMBLINE_TARGET_<NAME>_<FIELD>`, or undefined if it is unset or empty. */
  override(field: string): string | undefined;
  secretOverride(field: string): SecretValue | undefined;
  /** Reports an invalid value at `keys` of the target. */
  invalid(keys: readonly string[], message: string, next: string): void;
}

/** Returns the overrides of one target. */
export function overridesOf(name: string, environment: Environment): Pick<TargetContext, "override" | "secretOverride"> {
  const override = (field: string): string | undefined => environment[variable(name, field)] || undefined;
  return {
    override,
    secretOverride: (field) => {
      const value = override(field);
      return value === undefined ? undefined : new SecretValue(value, `\${env:${variable(name, field)}}`);
    },
  };
}

/** Returns the name of an environment variable of a target. */
export function variable(name: string, field: string): string {
  return `PLUMBLINE_TARGET_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_${field}`;
}

/** Returns `PLUMBLINE_TARGET_<NAME>_URL`, or else the address in the file. Errors do not repeat it, because it may contain a password. */
export function addressOf<Text extends string | undefined>(text: Text, { name, override, invalid }: TargetContext): Text | string {
  const instead = override("URL");
  const address: Text | string = instead ?? text;
  if (address === undefined || isAddress(address)) return address;
  const what = instead === undefined ? "url:" : variable(name, "URL");
  invalid(
    ["url"],
    `${what} is not an address of the form https://host:port.`,
    "Write it so; user name and password have keys of their own.",
  );
  return address;
}

function isAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** Applies the defaults of the common keys. */
export function readCommon(text: CommonText, context: TargetContext) {
  return {
    name: context.name,
    pinnedOrigins: pinnedOrigins(context),
    mode: text.mode ?? "observe",
    rewriteLists: text.rewriteLists ?? "never",
    approve: text.approve ?? "none",
    takeoverAfter: seconds(text.takeoverAfter ?? TAKEOVER_AFTER_SECONDS),
  } as const;
}

/** Converts `90s`, `15m`, `2h` or a number of seconds. */
function seconds(value: string | number): number {
  if (typeof value === "number") return value;
  const unit = { s: 1, m: 60, h: 3600 }[value.at(-1) ?? "s"] ?? 1;
  return Number(value.slice(0, -1)) * unit;
}

/**
 * Returns the origins of `PLUMBLINE_TARGET_<NAME>_URL` and `_PEERS`. If the address or `_CLOUD` comes from the environment, only these
 * receive the login of the target.
 */
function pinnedOrigins({ override }: TargetContext): readonly string[] | undefined {
  const url = override("URL");
  if (url === undefined && override("CLOUD") === undefined) return undefined;
  return [url ?? "", ...(override("PEERS")?.split(/[\s,]+/) ?? [])].flatMap((each) => originOf(each) ?? []);
}

export function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

/**
 * Reads the TLS settings. A path in the file is relative to the file; a path in `PLUMBLINE_TARGET_<NAME>_CA` is relative to the working
 * folder. A pinned target uses only `_CA` and `_PIN`: a commit must not choose who receives the operator's login.
 */
export function readTls(text: TlsText | undefined, context: TargetContext, isPinned = pinnedOrigins(context) !== undefined): TlsTrust {
  const { name, folder, override, invalid } = context;
  const [ca, pin] = [override("CA"), override("PIN")];
  const isTrustDeclared = text?.insecure === true || (ca === undefined && pin === undefined && (text?.ca ?? text?.pin) !== undefined);
  if (isPinned && isTrustDeclared)
    invalid(
      ["tls"],
      `${variable(name, "URL")} pins the target, so ca, pin and insecure of tls: are not used.`,
      `Set ${variable(name, "CA")} or ${variable(name, "PIN")}, and delete insecure: from the file.`,
    );
  const trust = isPinned ? {} : (text ?? {});
  return {
    ca: ca === undefined ? (trust.ca === undefined ? undefined : resolve(folder, trust.ca)) : resolve(ca),
    pin: pin ?? trust.pin,
    insecure: trust.insecure ?? false,
    plaintext: text?.plaintext ?? false,
  };
}

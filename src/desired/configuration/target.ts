import { resolve } from "node:path";
import { SecretValue } from "../../secret.js";
import type { Mode, PanosTargetConfiguration, TargetConfiguration } from "../configuration.js";
import type { Credentials } from "./credentials.js";

const TAKEOVER_AFTER_SECONDS = 900;
const REQUEST_TIMEOUT_SECONDS = 60;

interface Common {
  readonly mode?: Mode;
  readonly rewriteLists?: "never" | "allowed";
  readonly approve?: "none" | "required";
}

interface PanosText extends Common {
  readonly kind: "panos";
  readonly url: string;
  readonly peers?: readonly string[];
  readonly identity?: PanosTargetConfiguration["identity"];
  readonly credentials?: { readonly username?: string; readonly password?: string; readonly apiKey?: string };
  readonly tls?: { readonly ca?: string; readonly pin?: string; readonly insecure?: boolean };
  readonly http?: PanosTargetConfiguration["http"];
  readonly keyIn?: PanosTargetConfiguration["keyIn"];
  readonly foreignChanges?: PanosTargetConfiguration["foreignChanges"];
  readonly takeoverAfter?: string | number;
  readonly maxRequestBytes?: number;
  readonly maxBatchOperations?: number;
  readonly maxPendingChanges?: number;
  readonly timeout?: number;
}

interface MemoryText extends Common {
  readonly kind: "memory";
  readonly file: string;
}

/** A target as `plumbline.yaml` writes it, already checked against the schema. */
export type TargetText = PanosText | MemoryText;

type Environment = Readonly<Record<string, string | undefined>>;

/** Fills in defaults and what `PLUMBLINE_TARGET_<NAME>_*` overrides. */
export async function readTarget(
  name: string,
  text: TargetText,
  folder: string,
  environment: Environment,
  credentials: Credentials,
): Promise<TargetConfiguration> {
  const common = {
    name,
    mode: text.mode ?? "observe",
    rewriteLists: text.rewriteLists ?? "never",
    approve: text.approve ?? "none",
  } as const;
  if (text.kind === "memory") return { kind: "memory", ...common, file: resolve(folder, text.file) };
  const override = overrideReader(name, environment);
  const ca = override("CA");
  return {
    kind: "panos",
    ...common,
    url: override("URL") ?? text.url,
    peers: text.peers ?? [],
    identity: text.identity ?? {},
    credentials: await readCredentials(name, text, override, credentials),
    tls: {
      ca: ca === undefined ? (text.tls?.ca === undefined ? undefined : resolve(folder, text.tls.ca)) : resolve(ca),
      pin: text.tls?.pin,
      insecure: text.tls?.insecure ?? false,
    },
    http: text.http ?? "auto",
    keyIn: text.keyIn ?? "parameter",
    foreignChanges: text.foreignChanges ?? "refuse",
    takeoverAfter: seconds(text.takeoverAfter ?? TAKEOVER_AFTER_SECONDS),
    maxRequestBytes: text.maxRequestBytes,
    maxBatchOperations: text.maxBatchOperations,
    maxPendingChanges: text.maxPendingChanges,
    timeout: text.timeout ?? REQUEST_TIMEOUT_SECONDS,
  };
}

/** A key from the environment takes the place of a user and password of the file, and the other way round. */
async function readCredentials(
  name: string,
  text: PanosText,
  override: (field: string) => string | undefined,
  credentials: Credentials,
): Promise<PanosTargetConfiguration["credentials"]> {
  const key = override("KEY");
  if (key !== undefined) return { apiKey: new SecretValue(key, `\${env:${variable(name, "KEY")}}`) };
  const user = override("USER");
  const password = override("PASSWORD");
  const said = text.credentials ?? {};
  const username = user ?? (await credentials.text(name, "username", said.username));
  const secret =
    password === undefined
      ? await credentials.secret(name, "password", said.password)
      : new SecretValue(password, `\${env:${variable(name, "PASSWORD")}}`);
  const apiKey = password === undefined ? await credentials.secret(name, "apiKey", said.apiKey) : undefined;
  return {
    ...(username === undefined ? {} : { username }),
    ...(secret === undefined ? {} : { password: secret }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

function overrideReader(name: string, environment: Environment): (field: string) => string | undefined {
  return (field) => {
    const value = environment[variable(name, field)];
    return value === "" ? undefined : value;
  };
}

function variable(name: string, field: string): string {
  return `PLUMBLINE_TARGET_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_${field}`;
}

/** `90s`, `15m`, `2h`, or a number of seconds. */
function seconds(value: string | number): number {
  if (typeof value === "number") return value;
  const unit = { s: 1, m: 60, h: 3600 }[value.at(-1) ?? "s"] ?? 1;
  return Number(value.slice(0, -1)) * unit;
}

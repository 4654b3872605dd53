import type { PanosTargetConfiguration } from "../configuration.js";
import {
  addressOf,
  type CommonText,
  REQUEST_TIMEOUT_SECONDS,
  readCommon,
  readTls,
  type TargetContext,
  type TlsText,
} from "./target-context.js";

const TAKEOVER_AFTER_SECONDS = 900;

/** A firewall as `plumbline.yaml` writes it. */
export interface PanosText extends CommonText {
  readonly kind: "panos";
  readonly url: string;
  readonly peers?: readonly string[];
  readonly identity?: PanosTargetConfiguration["identity"];
  readonly credentials?: { readonly username?: string; readonly password?: string; readonly apiKey?: string };
  readonly tls?: TlsText;
  readonly http?: PanosTargetConfiguration["http"];
  readonly keyIn?: PanosTargetConfiguration["keyIn"];
  readonly foreignChanges?: PanosTargetConfiguration["foreignChanges"];
  readonly takeoverAfter?: string | number;
  readonly maxRequestBytes?: number;
  readonly maxBatchOperations?: number;
  readonly maxPendingChanges?: number;
  readonly timeout?: number;
}

/** Reads a firewall: fills in defaults and what `PLUMBLINE_TARGET_<NAME>_*` overrides. */
export async function readPanos(text: PanosText, context: TargetContext): Promise<PanosTargetConfiguration> {
  return {
    kind: "panos",
    ...readCommon(text, context),
    url: addressOf(text.url, context),
    peers: text.peers ?? [],
    identity: text.identity ?? {},
    credentials: await readCredentials(text, context),
    http: text.http ?? "auto",
    keyIn: text.keyIn ?? "parameter",
    foreignChanges: text.foreignChanges ?? "refuse",
    takeoverAfter: seconds(text.takeoverAfter ?? TAKEOVER_AFTER_SECONDS),
    maxRequestBytes: text.maxRequestBytes,
    maxBatchOperations: text.maxBatchOperations,
    maxPendingChanges: text.maxPendingChanges,
    timeout: text.timeout ?? REQUEST_TIMEOUT_SECONDS,
    tls: readTls(text.tls, context),
  };
}

/** A key from the environment takes the place of a user and password of the file, and the other way round. */
async function readCredentials(
  text: PanosText,
  { name, override, secretOverride, credentials }: TargetContext,
): Promise<PanosTargetConfiguration["credentials"]> {
  const key = secretOverride("KEY");
  if (key !== undefined) return { apiKey: key };
  const password = secretOverride("PASSWORD");
  const said = text.credentials ?? {};
  const username = override("USER") ?? (await credentials.text(name, ["credentials", "username"], said.username));
  const secret = password ?? (await credentials.secret(name, ["credentials", "password"], said.password));
  const apiKey = password === undefined ? await credentials.secret(name, ["credentials", "apiKey"], said.apiKey) : undefined;
  return {
    ...(username === undefined ? {} : { username }),
    ...(secret === undefined ? {} : { password: secret }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

/** `90s`, `15m`, `2h`, or a number of seconds. */
function seconds(value: string | number): number {
  if (typeof value === "number") return value;
  const unit = { s: 1, m: 60, h: 3600 }[value.at(-1) ?? "s"] ?? 1;
  return Number(value.slice(0, -1)) * unit;
}

import type { OpenstackAccess, OpenstackTargetConfiguration } from "../configuration.js";
import {
  addressOf,
  type CommonText,
  REQUEST_TIMEOUT_SECONDS,
  readCommon,
  readTls,
  type TargetContext,
  type TlsText,
} from "./target-context.js";

const CREATE_SETTLE_SECONDS = 30;
const REQUESTS_AT_ONCE = 10;

/** A cloud as `plumbline.yaml` writes it. */
export interface OpenstackText extends CommonText {
  readonly kind: "openstack";
  readonly cloud?: string;
  readonly url?: string;
  readonly identityVersion?: "2.0" | "3";
  readonly credentials?: {
    readonly username?: string;
    readonly password?: string;
    readonly userDomain?: string;
    readonly applicationCredentialId?: string;
    readonly applicationCredentialName?: string;
    readonly applicationCredentialSecret?: string;
  };
  readonly project?: { readonly id?: string; readonly name?: string; readonly domain?: string };
  readonly region?: string;
  readonly interface?: OpenstackAccess["interface"];
  readonly endpoints?: Readonly<Record<string, string>>;
  readonly tls?: TlsText;
  readonly timeout?: number;
  readonly createSettle?: number;
  readonly concurrency?: number;
  readonly pageSize?: number;
}

/** Reads a cloud: fills in defaults and what `PLUMBLINE_TARGET_<NAME>_URL`, `_CLOUD`, `_USER`, `_PASSWORD`, `_CA` override. */
export async function readOpenstack(text: OpenstackText, context: TargetContext): Promise<OpenstackTargetConfiguration> {
  return {
    kind: "openstack",
    ...readCommon(text, context),
    cloud: context.override("CLOUD") ?? text.cloud,
    access: await readAccess(text, context),
    tls: readTls(text.tls, context),
    timeout: text.timeout ?? REQUEST_TIMEOUT_SECONDS,
    createSettle: text.createSettle ?? CREATE_SETTLE_SECONDS,
    concurrency: text.concurrency ?? REQUESTS_AT_ONCE,
    pageSize: text.pageSize,
  };
}

async function readAccess(text: OpenstackText, context: TargetContext): Promise<OpenstackAccess> {
  const { name, override, secretOverride, credentials } = context;
  const said = text.credentials ?? {};
  const plain = (key: keyof typeof said): Promise<string | undefined> => credentials.text(name, ["credentials", key], said[key]);
  const secret = (key: keyof typeof said) => credentials.secret(name, ["credentials", key], said[key]);
  return {
    authUrl: addressOf(text.url, context),
    identityVersion: text.identityVersion,
    username: override("USER") ?? (await plain("username")),
    password: secretOverride("PASSWORD") ?? (await secret("password")),
    userDomain: await plain("userDomain"),
    applicationCredentialId: await plain("applicationCredentialId"),
    applicationCredentialName: await plain("applicationCredentialName"),
    applicationCredentialSecret: await secret("applicationCredentialSecret"),
    projectName: text.project?.name,
    projectId: text.project?.id,
    projectDomain: text.project?.domain,
    region: text.region,
    interface: text.interface,
    endpoints: new Map(Object.entries(text.endpoints ?? {})),
  };
}

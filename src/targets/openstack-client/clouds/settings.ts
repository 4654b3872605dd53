import { join, resolve } from "node:path";
import { PlumblineError } from "../../../core/errors.js";
import type { TlsTrust } from "../../../core/tls-trust.js";
import type { Interface } from "../catalog/catalog.js";
import type { OpenstackDependencies } from "../dependencies.js";
import { type RawCloud, type RawCloudSettings, textOf } from "./cloud-settings.js";
import { type Login, readLogin } from "./login.js";

/** Settings of one cloud. */
export interface CloudSettings {
  /** Source of the settings, for messages: `cloud "lab" of /etc/openstack/clouds.yaml`. */
  readonly source: string;
  /** Address of the identity service, if configured. */
  readonly authUrl: URL | undefined;
  readonly identityVersion: "2.0" | "3" | undefined;
  readonly login: Login;
  readonly region: string | undefined;
  readonly interface: Interface;
  /** Service addresses that override the catalog, by service type. */
  readonly endpoints: ReadonlyMap<string, string>;
  readonly tls: TlsTrust;
  /** Absolute paths of PEM files. */
  readonly clientCertificate: { readonly cert: string; readonly key: string } | undefined;
}

const OVERRIDE = "_endpoint_override";

/**
 * Reads the settings of a cloud. `tls` is from `plumbline.yaml`, which wins.
 * @throws PlumblineError `cloud-incomplete`, `auth-type-not-supported`
 */
export function readSettings(cloud: RawCloud, tls: TlsTrust, dependencies: OpenstackDependencies, target: string): CloudSettings {
  const { settings, source } = cloud;
  const file = (key: string): string | undefined => pathOf(textOf(settings, key), dependencies);
  const [cert, key] = [file("cert"), file("key")];
  return {
    source,
    authUrl: authUrlOf(cloud, target),
    identityVersion: identityVersionOf(settings),
    login: readLogin(cloud, target),
    region: textOf(settings, "region_name"),
    interface: interfaceOf(cloud, target),
    endpoints: new Map(
      [...settings].flatMap(([each, value]) =>
        each.endsWith(OVERRIDE) && typeof value === "string"
          ? [[each.slice(0, -OVERRIDE.length).replaceAll("_", "-"), value] as const]
          : [],
      ),
    ),
    tls: { ca: tls.ca ?? file("cacert"), pin: tls.pin, insecure: tls.insecure || isInsecure(settings), plaintext: tls.plaintext },
    clientCertificate: cert === undefined ? undefined : { cert, key: key ?? cert },
  };
}

function authUrlOf({ settings, source }: RawCloud, target: string): URL | undefined {
  const text = textOf(settings, "auth_url");
  if (text === undefined) return undefined;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw incomplete(`auth_url in ${source} is not an address`, "Write http:// or https://, a host and a port.", target);
}

function identityVersionOf(settings: RawCloudSettings): "2.0" | "3" | undefined {
  if (/^v2/.test(textOf(settings, "auth_type") ?? "")) return "2.0";
  if (/^v3/.test(textOf(settings, "auth_type") ?? "")) return "3";
  const version = textOf(settings, "identity_api_version")?.replace(/^v/, "");
  return version === undefined ? undefined : version.startsWith("2") ? "2.0" : version.startsWith("3") ? "3" : undefined;
}

const INTERFACES: ReadonlyMap<string, Interface> = new Map([
  ["public", "public"],
  ["internal", "internal"],
  ["admin", "admin"],
]);

/** `publicURL` is the old spelling. */
function interfaceOf({ settings, source }: RawCloud, target: string): Interface {
  const text = textOf(settings, "interface") ?? "public";
  const found = INTERFACES.get(text.replace(/URL$/, ""));
  if (found !== undefined) return found;
  throw incomplete(`interface in ${source} is "${text}"`, "Write public, internal or admin.", target);
}

const TRUE = /^(true|yes|on|1)$/i;
const FALSE = /^(false|no|off|0)$/i;

/** Only these exact words disable verification. With any other value it stays enabled. */
function isInsecure(settings: RawCloudSettings): boolean {
  return TRUE.test(textOf(settings, "insecure") ?? "") || FALSE.test(textOf(settings, "verify") ?? "");
}

function pathOf(text: string | undefined, { home, workingFolder }: OpenstackDependencies): string | undefined {
  if (text === undefined) return undefined;
  return text === "~" || text.startsWith("~/") ? join(home, text.slice(1)) : resolve(workingFolder, text);
}

function incomplete(message: string, next: string, target: string): PlumblineError {
  return new PlumblineError("cloud-incomplete", message, { where: { target }, next });
}

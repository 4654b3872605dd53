import type { ContrailAuth, ContrailTargetConfiguration, OpenstackTargetConfiguration } from "../configuration.js";
import {
  addressOf,
  type CommonText,
  REQUEST_TIMEOUT_SECONDS,
  readCommon,
  readTls,
  type TargetContext,
  type TlsText,
} from "./target-context.js";

/** A network controller as `plumbline.yaml` writes it. */
export interface ContrailText extends CommonText {
  readonly kind: "contrail";
  readonly url: string;
  readonly auth?: { readonly from?: string; readonly username?: string; readonly password?: string };
  readonly tls?: TlsText;
  readonly timeout?: number;
}

/** Reads a controller; `clouds` are the targets of kind openstack, which `auth: { from: NAME }` may name. */
export async function readContrail(
  text: ContrailText,
  context: TargetContext,
  clouds: ReadonlyMap<string, OpenstackTargetConfiguration>,
): Promise<ContrailTargetConfiguration> {
  return {
    kind: "contrail",
    ...readCommon(text, context),
    url: addressOf(text.url, context),
    auth: await readAuth(text.auth ?? {}, context, clouds),
    tls: readTls(text.tls, context),
    timeout: text.timeout ?? REQUEST_TIMEOUT_SECONDS,
  };
}

async function readAuth(
  said: NonNullable<ContrailText["auth"]>,
  context: TargetContext,
  clouds: ReadonlyMap<string, OpenstackTargetConfiguration>,
): Promise<ContrailAuth> {
  const { name, override, secretOverride, credentials } = context;
  const username = override("USER") ?? (await credentials.text(name, ["auth", "username"], said.username));
  const password = secretOverride("PASSWORD") ?? (await credentials.secret(name, ["auth", "password"], said.password));
  const saysPassword = password !== undefined || said.password !== undefined;
  const saysUser = username !== undefined || saysPassword;
  if (said.from === undefined) {
    if (saysUser && (username === undefined || !saysPassword))
      context.invalid(["auth"], "A user name and a password belong together.", "Write both, or from: and the name of a cloud.");
    return username !== undefined && password !== undefined ? { by: "basic", username, password } : { by: "none" };
  }
  const cloud = clouds.get(said.from);
  if (cloud !== undefined && !saysUser) return { by: "openstack", cloud };
  if (saysUser)
    context.invalid(["auth"], "The controller cannot be asked in two ways at once.", "Write from:, or a user name and a password.");
  else
    context.invalid(
      ["auth", "from"],
      `No target of kind openstack is called "${said.from}".`,
      clouds.size === 0 ? "Add the cloud to targets:." : `Write one of: ${[...clouds.keys()].join(", ")}.`,
    );
  return { by: "none" };
}

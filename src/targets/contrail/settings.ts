import type { SecretValue, TextOrSecret } from "../../core/secret.js";
import type { TlsTrust } from "../../core/tls-trust.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import type { KindSettings } from "../../desired/configuration/kind-settings.js";
import { addressOf, REQUEST_TIMEOUT_SECONDS, readCommon, readTls, type TargetContext } from "../../desired/configuration/target-context.js";
import { commonKeys, httpUrl, nonEmptyText, targetSchema, timeout, tls } from "../../desired/configuration/target-schema.js";
import type { TextOf } from "../../desired/configuration/text-of.js";
import { isOpenstack, type OpenstackTargetConfiguration } from "../openstack-client/configuration.js";
import type { ControllerReading } from "./policy/reading.js";

type ContrailAuth =
  | { readonly by: "none" }
  /** Local user of the controller, by HTTP Basic. */
  | { readonly by: "basic"; readonly username: TextOrSecret; readonly password: SecretValue }
  /** A token of an OpenStack target. */
  | { readonly by: "openstack"; readonly cloud: OpenstackTargetConfiguration };

export interface ContrailTargetConfiguration extends TargetConfiguration {
  readonly kind: "contrail";
  readonly url: string;
  readonly auth: ContrailAuth;
  readonly tls: TlsTrust;
  /** Timeout of a request in seconds. */
  readonly timeout: number;
  /** Behaviour of this controller that its objects do not define. */
  readonly reading: Partial<ControllerReading>;
}

const schema = targetSchema("contrail", ["url"], {
  url: { ...httpUrl, description: "Address of the controller's API, such as https://HOST:8082." },
  auth: {
    description: "from: an openstack target whose token is sent, or a user and password. Without auth:, no login is sent.",
    type: "object",
    additionalProperties: false,
    properties: {
      from: { ...nonEmptyText, description: "An openstack target." },
      username: { ...nonEmptyText, description: "User name for HTTP Basic." },
      password: { ...nonEmptyText, description: "A reference to the password." },
    },
  },
  tls,
  ...commonKeys,
  timeout,
  reading: {
    description: "How the controller evaluates its policies, if this is not the same for all (docs/insight.md).",
    type: "object",
    additionalProperties: false,
    properties: {
      equalSequence: { enum: ["by name", "as listed"], description: "Order of two policies with the same sequence. Default: by name." },
      logicalRouters: { enum: ["enabled", "disabled"], description: "Whether the controller runs with logical routers. Default: enabled." },
    },
  },
});

/** A contrail target in `plumbline.yaml`. */
type ContrailText = TextOf<typeof schema>;

/** Reads a contrail target: fills in defaults and applies the overrides `PLUMBLINE_TARGET_<NAME>_URL`, `_USER`, `_PASSWORD` and `_CA`. */
async function readContrail(text: ContrailText, context: TargetContext): Promise<ContrailTargetConfiguration> {
  const auth = await readAuth(text.auth ?? {}, context);
  const common = readCommon(text, context);
  const receivesPinnedToken = auth.by === "openstack" && auth.cloud.pinnedOrigins !== undefined;
  return {
    kind: "contrail",
    ...common,
    url: addressOf(text.url, context),
    auth,
    tls: readTls(text.tls, context, common.pinnedOrigins !== undefined || receivesPinnedToken),
    timeout: text.timeout ?? REQUEST_TIMEOUT_SECONDS,
    reading: text.reading ?? {},
  };
}

async function readAuth(auth: NonNullable<ContrailText["auth"]>, context: TargetContext): Promise<ContrailAuth> {
  const { name, override, secretOverride, credentials } = context;
  const username = override("USER") ?? (await credentials.text(name, ["auth", "username"], auth.username));
  const password = secretOverride("PASSWORD") ?? (await credentials.secret(name, ["auth", "password"], auth.password));
  const hasPassword = password !== undefined || auth.password !== undefined;
  const hasUser = username !== undefined || hasPassword;
  if (auth.from === undefined) {
    if (hasUser && (username === undefined || !hasPassword))
      context.invalid(["auth"], "A user name and a password belong together.", "Write both, or from: and the name of a cloud.");
    return username !== undefined && password !== undefined ? { by: "basic", username, password } : { by: "none" };
  }
  const clouds = [...context.others.values()].filter(isOpenstack);
  const cloud = clouds.find((each) => each.name === auth.from);
  if (cloud !== undefined && !hasUser) return { by: "openstack", cloud };
  if (hasUser) context.invalid(["auth"], "Configure only one login for the controller.", "Write from:, or a user name and a password.");
  else
    context.invalid(
      ["auth", "from"],
      `No target of kind openstack is called "${auth.from}".`,
      clouds.length === 0 ? "Add the cloud to targets:." : `Write one of: ${clouds.map((each) => each.name).join(", ")}.`,
    );
  return { by: "none" };
}

export function isContrail(target: TargetConfiguration): target is ContrailTargetConfiguration {
  return target.kind === "contrail";
}

/** Settings of a controller in `plumbline.yaml`. `auth: { from: NAME }` refers to the cloud that provides its tokens. */
export const contrailSettings: KindSettings<ContrailText> = {
  schema,
  addresses: (target) => (isContrail(target) && target.auth.by !== "none" ? [target.url] : []),
  refersTo: ({ auth }) => (auth?.from === undefined ? [] : [auth.from]),
  read: readContrail,
};

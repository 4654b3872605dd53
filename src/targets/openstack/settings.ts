import type { TextOrSecret } from "../../core/secret.js";
import type { KindSettings } from "../../desired/configuration/kind-settings.js";
import { addressOf, REQUEST_TIMEOUT_SECONDS, readCommon, readTls, type TargetContext } from "../../desired/configuration/target-context.js";
import { commonKeys, httpUrl, nonEmptyText, positive, targetSchema, timeout, tls } from "../../desired/configuration/target-schema.js";
import type { TextOf } from "../../desired/configuration/text-of.js";
import { isOpenstack, type OpenstackAccess, type OpenstackTargetConfiguration } from "../openstack-client/configuration.js";

const CREATE_SETTLE_SECONDS = 30;
const REQUESTS_AT_ONCE = 10;

const schema = targetSchema("openstack", [], {
  cloud: { ...nonEmptyText, description: "An entry of clouds.yaml. Without cloud and url, the OS_* variables select the cloud." },
  url: { ...httpUrl, description: "Address of the identity service, such as https://HOST:5000/v3. The version can be omitted." },
  identityVersion: { enum: ["2.0", "3"], description: "Version of the identity service. Default: the offered version." },
  credentials: {
    type: "object",
    additionalProperties: false,
    description: "A user and password, or an application credential. Secrets are references such as ${env:CLOUD_PASSWORD}.",
    properties: {
      username: { ...nonEmptyText, description: "User name." },
      password: { ...nonEmptyText, description: "A reference to the password." },
      userDomain: { ...nonEmptyText, description: "Name of the user's domain." },
      applicationCredentialId: { ...nonEmptyText, description: "ID of an application credential." },
      applicationCredentialName: { ...nonEmptyText, description: "Name of an application credential of the user." },
      applicationCredentialSecret: { ...nonEmptyText, description: "A reference to the secret of the application credential." },
    },
  },
  project: {
    type: "object",
    additionalProperties: false,
    minProperties: 1,
    description: "The project of the target: its id, or its name and domain.",
    properties: {
      id: { ...nonEmptyText, description: "ID of the project." },
      name: { ...nonEmptyText, description: "Name of the project." },
      domain: { ...nonEmptyText, description: "Name of the project's domain." },
    },
  },
  region: { ...nonEmptyText, description: "Region of the catalog. Default: the first matching entry." },
  interface: { enum: ["public", "internal", "admin"], description: "Interface of the catalog to use. Default: public." },
  endpoints: {
    type: "object",
    description: "Addresses that replace the addresses of the catalog, by type of service.",
    propertyNames: { type: "string", pattern: "^[a-z][a-z0-9-]*$" },
    additionalProperties: httpUrl,
  },
  tls,
  ...commonKeys,
  timeout,
  createSettle: {
    type: "number",
    minimum: 0,
    description: "Seconds to search for the object of a create with a lost reply, before the create is repeated. Default: 30.",
  },
  concurrency: { type: "integer", minimum: 1, maximum: 10, description: "Parallel requests to one service. Default: 10." },
  pageSize: { ...positive, description: "Number of objects in one page. Default: the limit of the service." },
});

/** A cloud as written in `plumbline.yaml`. */
type OpenstackText = TextOf<typeof schema>;

/** Reads a cloud, and applies defaults and the overrides `PLUMBLINE_TARGET_<NAME>_URL`, `_CLOUD`, `_USER`, `_PASSWORD`, `_CA`. */
async function readOpenstack(text: OpenstackText, context: TargetContext): Promise<OpenstackTargetConfiguration> {
  const access = await readAccess(text, context);
  return {
    kind: "openstack",
    ...readCommon(text, context),
    cloud: context.override("CLOUD") ?? text.cloud,
    access,
    folder: context.folder,
    references: [...context.credentials.referencesOf(context.name)],
    tls: readTls(text.tls, context),
    timeout: text.timeout ?? REQUEST_TIMEOUT_SECONDS,
    createSettle: text.createSettle ?? CREATE_SETTLE_SECONDS,
    concurrency: text.concurrency ?? REQUESTS_AT_ONCE,
    pageSize: text.pageSize,
  };
}

async function readAccess(text: OpenstackText, context: TargetContext): Promise<OpenstackAccess> {
  const { name, override, secretOverride, credentials } = context;
  const login = text.credentials ?? {};
  const plain = (key: keyof typeof login): Promise<TextOrSecret | undefined> => credentials.text(name, ["credentials", key], login[key]);
  const secret = (key: keyof typeof login) => credentials.secret(name, ["credentials", key], login[key]);
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

/** Settings of a cloud in `plumbline.yaml`. */
export const openstackSettings: KindSettings<OpenstackText> = {
  schema,
  addresses: (target) =>
    isOpenstack(target)
      ? [...(target.access.authUrl === undefined ? [] : [target.access.authUrl]), ...target.access.endpoints.values()]
      : [],
  read: readOpenstack,
};

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PlumblineError } from "../../../../src/core/errors.js";
import { SecretValue } from "../../../../src/core/secret.js";
import { findCloud } from "../../../../src/targets/openstack-client/clouds/find-cloud.js";
import type { OpenstackTargetConfiguration } from "../../../../src/targets/openstack-client/configuration.js";
import { configuration, dependencies } from "../../openstack/fixtures.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plumbline-clouds-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const injected = (environment: Record<string, string> = {}) =>
  dependencies(undefined, { environment, home: join(root, "home"), workingFolder: join(root, "work") });

const find = (
  cloud: string | undefined,
  environment: Record<string, string> = {},
  access: Partial<OpenstackTargetConfiguration["access"]> = {},
  tls: OpenstackTargetConfiguration["tls"] = { insecure: false },
) => findCloud(configuration(access, { cloud, tls }), injected(environment));

const LAB = `
clouds:
  lab:
    auth: { auth_url: "http://x:5000/v3", username: demo, password: pa55, project_name: demo, user_domain_name: D, project_domain_id: e }
    region_name: R
    interface: internal
`;

describe("clouds.yaml", () => {
  it("describes a cloud completely", async () => {
    put("work/clouds.yaml", LAB);
    const { login, ...rest } = await find("lab");
    expect(rest).toMatchObject({ region: "R", interface: "internal", identityVersion: undefined, tls: { insecure: false } });
    expect(rest.authUrl?.href).toBe("http://x:5000/v3");
    expect(login).toMatchObject({
      by: "password",
      user: { name: "demo", domain: { name: "D" } },
      project: { name: "demo", domain: { id: "e" } },
    });
    expect(login.by === "password" && login.password.reveal()).toBe("pa55");
    expect(inspect(login, { depth: 9 })).not.toContain("pa55");
  });

  it("supports anchors, merge keys, JSON and any YAML style", async () => {
    put(
      "work/clouds.yaml",
      `
x: &common
  auth: &auth { auth_url: http://x, username: demo, password: 0123, project_id: 1e5 }
  verify: no
clouds:
  a:
    <<: *common
    region_name: A
  b:
    <<: [*common]
    auth: { <<: *auth, username: other }
`,
    );
    const a = await find("a");
    expect(a).toMatchObject({ region: "A", tls: { insecure: true }, login: { user: { name: "demo" }, project: { id: "1e5" } } });
    expect(a.login.by === "password" && a.login.password.reveal()).toBe("0123");
    expect(await find("b")).toMatchObject({ login: { user: { name: "other" }, project: { id: "1e5" } } });
  });

  it("is found in the working folder, the user's folder, and by OS_CLIENT_CONFIG_FILE, the last one first", async () => {
    const at = (region: string) => LAB.replace("region_name: R", `region_name: ${region}`);
    put("home/.config/openstack/clouds.yml", at("home"));
    expect((await find("lab")).region).toBe("home");
    put(
      "xdg/openstack/clouds.json",
      JSON.stringify({ clouds: { lab: { auth: { auth_url: "http://x", username: "u", password: "p" }, region_name: "xdg" } } }),
    );
    expect((await find("lab", { XDG_CONFIG_HOME: join(root, "xdg") })).region).toBe("xdg");
    put("work/clouds.yaml", at("work"));
    expect((await find("lab")).region).toBe("work");
    const named = put("named.yaml", at("named"));
    expect((await find("lab", { OS_CLIENT_CONFIG_FILE: named })).region).toBe("named");
  });

  it("is merged with secure.yaml and a profile", async () => {
    put("work/clouds.yaml", "clouds: { lab: { profile: vendor, auth: { username: demo, password: weak, project_name: demo } } }");
    put("work/secure.yaml", "clouds: { lab: { auth: { password: strong } } }");
    put(
      "work/clouds-public.yaml",
      "public-clouds: { vendor: { auth: { auth_url: http://v:5000, username: nobody }, regions: [{ name: V1 }, V2] } }",
    );
    const { login, region, authUrl } = await find("lab");
    expect([authUrl?.host, region]).toEqual(["v:5000", "V1"]);
    expect(login).toMatchObject({ user: { name: "demo" } });
    expect(login.by === "password" && login.password.reveal()).toBe("strong");
  });

  it("needs no choice with one cloud; OS_CLOUD chooses", async () => {
    put("work/clouds.yaml", LAB);
    expect((await find(undefined)).region).toBe("R");
    put("work/clouds.yaml", `${LAB}  other: { auth: { auth_url: http://o, token: t, project_id: "1" }, region_name: O }\n`);
    expect((await find(undefined, { OS_CLOUD: "other", OS_AUTH_URL: "http://not-this" })).region).toBe("O");
    await expect(find(undefined)).rejects.toMatchObject({
      code: "cloud-not-known",
      message: expect.stringContaining("no cloud is chosen"),
    });
  });

  it("without the requested cloud is reported with the known clouds", async () => {
    const file = put("work/clouds.yaml", LAB);
    await expect(find("lob")).rejects.toMatchObject({
      code: "cloud-not-known",
      message: `the cloud "lob" is not known; ${file} knows: lab`,
    });
    await expect(find("lab", { OS_CLIENT_CONFIG_FILE: join(root, "none.yaml") })).resolves.toMatchObject({ region: "R" });
  });

  it("that does not exist is reported with all searched places", async () => {
    const error = (await find("lab", { OS_CLIENT_CONFIG_FILE: join(root, "none.yaml") }).catch((caught) => caught)) as PlumblineError;
    expect(error.code).toBe("cloud-not-known");
    for (const place of ["none.yaml", "work/clouds.yaml", "home/.config/openstack/clouds.yaml", "/etc/openstack/clouds.yaml"])
      expect(error.message).toContain(place);
  });

  it.each([
    ["no YAML", 'clouds:\n  lab: { auth: { password: "hunter2 }', 2],
    ["one thing twice", "clouds: {}\nclouds: { password: hunter2 }", 2],
    ["no map", "- hunter2", 1],
    ["an alias of nothing", "clouds: *hunter2", 1],
  ])("that is %s is refused with its line, and nothing of it is shown", async (_, text, line) => {
    const file = put("work/clouds.yaml", text);
    const error = (await find("lab").catch((caught) => caught)) as PlumblineError;
    expect(error).toMatchObject({ code: "clouds-file-invalid", where: { file, line } });
    expect(error.stack).not.toContain("hunter2");
  });

  it("that is unreadable is not skipped", async () => {
    mkdirSync(join(root, "work/clouds.yaml"), { recursive: true });
    put("home/.config/openstack/clouds.yaml", LAB);
    await expect(find("lab")).rejects.toMatchObject({ code: "clouds-file-unreadable" });
  });

  it.each([
    ["no user", "auth_url: http://x, password: p", "a user"],
    ["no password", "auth_url: http://x, username: u", "a password"],
    ["no secret", "auth_url: http://x, application_credential_id: i", "application_credential_secret"],
    ["an invalid address", "auth_url: x:5000, username: u, password: p", "is not an address"],
  ])("with %s is incomplete", async (_, auth, words) => {
    put("work/clouds.yaml", `clouds: { lab: { auth: { ${auth} } } }`);
    await expect(find("lab")).rejects.toMatchObject({ code: "cloud-incomplete", message: expect.stringContaining(words) });
  });

  it("is refused with an unknown auth_type, profile or interface", async () => {
    put("work/clouds.yaml", "clouds: { lab: { auth_type: v3kerberos, auth: { auth_url: http://x } } }");
    await expect(find("lab")).rejects.toMatchObject({ code: "auth-type-not-supported" });
    put("work/clouds.yaml", "clouds: { lab: { profile: big, auth: { username: u } } }");
    await expect(find("lab")).rejects.toMatchObject({ code: "cloud-not-known", message: expect.stringContaining('"big"') });
    put("work/clouds.yaml", "clouds: { lab: { interface: outside, auth: { auth_url: http://x, username: u, password: p } } }");
    await expect(find("lab")).rejects.toMatchObject({ code: "cloud-incomplete" });
  });
});

describe("kinds of login", () => {
  const login = async (entry: string) => {
    put("work/clouds.yaml", `clouds: { lab: ${entry} }`);
    return await find("lab");
  };

  it("are distinguished by auth_type, or by the given fields", async () => {
    const auth = "auth_url: http://x, project_name: p";
    expect((await login(`{ auth: { ${auth}, token: t } }`)).login).toMatchObject({ by: "token", project: { name: "p" } });
    expect((await login(`{ auth_type: v3token, auth: { ${auth}, token: t } }`)).identityVersion).toBe("3");
    expect((await login(`{ auth_type: v2password, auth: { ${auth}, username: u, password: p } }`)).identityVersion).toBe("2.0");
    expect((await login(`{ identity_api_version: "2.0", auth: { ${auth}, username: u, password: p } }`)).identityVersion).toBe("2.0");
    expect((await login(`{ identity_api_version: 3, auth: { ${auth}, username: u, password: p } }`)).identityVersion).toBe("3");
    expect((await login(`{ auth: { ${auth}, application_credential_id: i, application_credential_secret: s } }`)).login).toMatchObject({
      by: "application-credential",
      id: "i",
      user: undefined,
    });
    const named =
      "{ auth_type: v3applicationcredential, auth: { auth_url: http://x, application_credential_name: n, user_id: u, application_credential_secret: s } }";
    expect((await login(named)).login).toMatchObject({ by: "application-credential", name: "n", user: { id: "u" } });
    expect((await login("{ auth_type: none, network_endpoint_override: http://n }")).login).toEqual({ by: "none" });
  });

  it("support old names, common domains, certificates and addresses of services", async () => {
    const settings = await login(
      "{ cacert: ~/ca.pem, cert: own.pem, key: own.key, endpoint_type: adminURL, block_storage_endpoint_override: http://b, " +
        "auth: { auth_url: http://x, username: u, password: p, tenant_name: t, domain_name: D } }",
    );
    expect(settings).toMatchObject({
      interface: "admin",
      endpoints: new Map([["block-storage", "http://b"]]),
      login: { user: { domain: { name: "D" } }, project: { name: "t", domain: { name: "D" } } },
      tls: { ca: join(root, "home/ca.pem"), insecure: false },
      clientCertificate: { cert: join(root, "work/own.pem"), key: join(root, "work/own.key") },
    });
  });

  it("keep verification on for anything except a plain no", async () => {
    const auth = "auth: { auth_url: http://x, username: u, password: p }";
    expect((await login(`{ verify: "", ${auth} }`)).tls.insecure).toBe(false);
    expect((await login(`{ verify: nope, ${auth} }`)).tls.insecure).toBe(false);
    expect((await login(`{ verify: False, ${auth} }`)).tls.insecure).toBe(true);
  });
});

describe("OS_* variables", () => {
  const VARIABLES = {
    OS_AUTH_URL: "http://x:5000",
    OS_USERNAME: "demo",
    OS_PASSWORD: "pa55",
    OS_PROJECT_NAME: "new",
    OS_TENANT_NAME: "old",
    OS_USER_DOMAIN_NAME: "Default",
    OS_DEFAULT_DOMAIN: "dd",
    OS_REGION_NAME: "R",
    OS_ENDPOINT_TYPE: "internalURL",
    OS_CACERT: "ca.pem",
    OS_COMPUTE_ENDPOINT_OVERRIDE: "http://c",
    OS_USER_ID: "",
  };

  it("describe a cloud", async () => {
    const { login, ...rest } = await find(undefined, VARIABLES);
    expect(rest).toMatchObject({
      source: "the OS_* variables",
      region: "R",
      interface: "internal",
      tls: { ca: join(root, "work/ca.pem"), insecure: false },
      endpoints: new Map([["compute", "http://c"]]),
    });
    expect(login).toMatchObject({ user: { id: undefined, domain: { name: "Default" } }, project: { name: "new", domain: { id: "dd" } } });
    expect(inspect(login, { depth: 9 })).not.toContain("pa55");
  });

  it("describe one without verification, one of a token, one of an application credential", async () => {
    expect((await find(undefined, { ...VARIABLES, OS_INSECURE: "1" })).tls.insecure).toBe(true);
    const token = { OS_AUTH_URL: "http://x", OS_TOKEN: "t", OS_PROJECT_ID: "p" };
    expect((await find(undefined, token)).login).toMatchObject({ by: "token", project: { id: "p" } });
    const credential = { OS_AUTH_URL: "http://x", OS_APPLICATION_CREDENTIAL_ID: "i", OS_APPLICATION_CREDENTIAL_SECRET: "s" };
    expect((await find(undefined, credential)).login).toMatchObject({ by: "application-credential", id: "i" });
  });

  it("precede a file's only cloud, and follow a named cloud", async () => {
    put("work/clouds.yaml", LAB.replace("region_name: R", "region_name: file"));
    expect((await find(undefined, VARIABLES)).region).toBe("R");
    expect((await find("lab", VARIABLES)).region).toBe("file");
    expect((await find("envvars", VARIABLES)).region).toBe("R");
  });
});

describe("settings in plumbline.yaml", () => {
  it("are sufficient with an address and no cloud", async () => {
    put("work/clouds.yaml", LAB);
    const password = new SecretValue("p", "${env:P}");
    const settings = await find(
      undefined,
      { OS_REGION_NAME: "E" },
      { authUrl: "http://own:1/v3", username: "u", password, projectId: "i" },
    );
    expect(settings).toMatchObject({
      source: "plumbline.yaml",
      region: undefined,
      login: { user: { name: "u", domain: { id: "default" } } },
    });
  });

  it("override the cloud", async () => {
    put("work/clouds.yaml", LAB);
    const password = new SecretValue("new", "${env:P}");
    const said = { authUrl: "http://own:1", username: "u", password, projectId: "i", region: "S", interface: "admin" } as const;
    const settings = await find("lab", {}, { ...said, endpoints: new Map([["network", "http://n"]]) }, { ca: "/ca.pem", insecure: false });
    expect(settings).toMatchObject({
      region: "S",
      interface: "admin",
      endpoints: new Map([["network", "http://n"]]),
      tls: { ca: "/ca.pem" },
      login: { by: "password", user: { name: "u", domain: { name: "D" } }, project: { id: "i", name: undefined } },
    });
    expect(settings.authUrl?.host).toBe("own:1");
    expect(settings.login.by === "password" && settings.login.password.reveal()).toBe("new");
  });

  it("replace credentials of another kind", async () => {
    put("work/clouds.yaml", LAB);
    const secret = new SecretValue("s", "${env:S}");
    const credential = await find("lab", {}, { applicationCredentialId: "i", applicationCredentialSecret: secret });
    expect(credential.login).toMatchObject({ by: "application-credential", id: "i" });
    put(
      "work/clouds.yaml",
      "clouds: { lab: { auth_type: v3applicationcredential, auth: { auth_url: http://x, application_credential_id: i, application_credential_secret: s } } }",
    );
    const password = await find("lab", {}, { username: "u", password: secret, projectName: "p" });
    expect(password.login).toMatchObject({ by: "password", user: { name: "u" }, project: { name: "p" } });
  });
});

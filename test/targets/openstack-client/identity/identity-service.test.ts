import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../../src/core/secret.js";
import { OpenstackClient } from "../../../../src/targets/openstack-client/client/client.js";
import { bench, closing, configuration, demoAccess, dependencies, PASSWORD, requestsOf } from "../../openstack/fixtures.js";
import { scriptedService } from "../../openstack/scripted-service.js";

const NETWORKS = { service: "network", path: ["networks"], collection: "networks" } as const;
const secret = (value: string) => new SecretValue(value, "«given»");

describe("login", () => {
  it("by password returns account and project", async () => {
    const { client } = await bench();
    const session = await client.session();
    expect(session).toMatchObject({ project: { name: "demo" }, user: { name: "demo" }, roles: ["member", "reader"] });
    expect(session.token?.reveal()).toHaveLength(183);
    expect(JSON.stringify(session)).not.toContain(session.token?.reveal());
    expect(session.endpoints.map(({ type }) => type)).toContain("compute");
  });

  it("by v2.0 returns the same, and the same catalog", async () => {
    const { client, lab } = await bench({}, { access: { identityVersion: "2.0" } });
    expect(await client.session()).toMatchObject({ project: { name: "demo" }, user: { name: "demo" }, roles: ["member", "reader"] });
    expect(await client.list(NETWORKS)).toHaveLength(2);
    expect(lab.journal[0]).toMatchObject({
      path: "/v2.0/tokens",
      body: { auth: { tenantName: "demo", passwordCredentials: { username: "demo" } } },
    });
  });

  it("by an application credential uses its project, and ends with it", async () => {
    const { client: owner, lab, clock, injected } = await bench();
    const { user } = await owner.session();
    const expires_at = new Date(clock.now() + 60_000).toISOString().slice(0, 19);
    const made = await owner.request({
      service: "identity",
      method: "POST",
      path: ["users", user?.id ?? "", "application_credentials"],
      body: { application_credential: { name: "ci", secret: "s3cret", expires_at } },
    });
    const { id } = made.body.application_credential as { id: string };
    const given = { authUrl: lab.authUrl, applicationCredentialSecret: secret("s3cret") };
    const byId = closing(new OpenstackClient(configuration({ ...given, applicationCredentialId: id }), injected));
    expect(await byId.session()).toMatchObject({ project: { name: "demo" } });
    expect((await byId.session()).renewAt).toBe(clock.now() + 54_000);
    const byName = closing(new OpenstackClient(configuration({ ...given, applicationCredentialName: "ci", username: "demo" }), injected));
    expect(await byName.session()).toMatchObject({ project: { name: "demo" } });
    const path = ["users", user?.id ?? "", "application_credentials", id];
    await owner.request({ service: "identity", method: "DELETE", path });
    const late = closing(new OpenstackClient(configuration({ ...given, applicationCredentialId: id }), injected));
    await expect(late.session()).rejects.toMatchObject({ code: "cloud-login-refused", message: expect.stringContaining("HTTP 404") });
  });

  it("by a token requests the project, and renews nothing before the end", async () => {
    const { client, lab, injected } = await bench();
    const environment = { OS_AUTH_URL: lab.authUrl, OS_TOKEN: (await client.token()).reveal(), OS_PROJECT_NAME: "demo" };
    const second = closing(new OpenstackClient(configuration({}), { ...injected, environment }));
    expect(await second.session()).toMatchObject({ project: { name: "demo" }, renewAt: undefined });
    const { token } = await second.session();
    expect(token?.reveal()).not.toBe(environment.OS_TOKEN);
  });

  it("is skipped if the cloud has none: addresses must be configured", async () => {
    const service = await scriptedService(() => ({ body: { networks: [] } }));
    const environment = { OS_AUTH_TYPE: "none", OS_NETWORK_ENDPOINT_OVERRIDE: `${service.url}/v2.0` };
    const client = closing(new OpenstackClient(configuration({}), dependencies(undefined, { environment })));
    expect(await client.list(NETWORKS)).toEqual([]);
    expect(service.asked[0]?.headers).not.toHaveProperty("x-auth-token");
    await expect(client.list({ ...NETWORKS, service: "compute" })).rejects.toMatchObject({ code: "service-not-in-catalog" });
  });

  it.each([
    ["a wrong password", { password: secret("wrong") }],
    ["an unknown project", { projectName: "nope" }],
    ["a project without a role", { projectName: "other" }],
  ])("is refused with %s, and the password is not shown", async (_, access) => {
    const { client, injected } = await bench({}, { access });
    const error = await client.session().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "cloud-login-refused", message: expect.stringContaining("req-"), where: { target: "cloud" } });
    expect(JSON.stringify(error) + (error as Error).stack + injected.logged.join()).not.toMatch(/wrong|"secret"/);
  });

  it("is retried if the service is briefly unavailable, and by the next request otherwise", async () => {
    const { client, lab } = await bench();
    lab.fault({ match: { service: "identity", method: "POST" }, effect: { kind: "status", status: 503 }, count: 5 });
    await expect(client.session()).rejects.toMatchObject({ code: "cloud-service-unavailable" });
    expect(await client.session()).toMatchObject({ project: { name: "demo" } });
  });

  it("without a token in the header is an error", async () => {
    const service = await scriptedService(() => ({ status: 201, body: { token: { project: { id: "1" } } } }));
    const client = closing(new OpenstackClient(configuration(demoAccess(`${service.url}/v3`)), dependencies()));
    await expect(client.session()).rejects.toMatchObject({ code: "reply-not-json" });
  });

  it("warns if TLS is not verified", async () => {
    const { lab } = await bench();
    const environment = {
      OS_AUTH_URL: lab.authUrl,
      OS_USERNAME: "demo",
      OS_PASSWORD: PASSWORD,
      OS_PROJECT_NAME: "demo",
      OS_INSECURE: "true",
    };
    const injected = dependencies(undefined, { environment });
    await closing(new OpenstackClient(configuration({}), injected)).session();
    expect(injected.warnings).toEqual(['TLS is not verified (insecure) {"target":"cloud"}']);
  });
});

describe("the version of identity", () => {
  it("is detected if the address has none; v3 if both exist", async () => {
    const { lab, injected } = await bench();
    const client = closing(new OpenstackClient(configuration(demoAccess(lab.urls.identity)), injected));
    await client.session();
    expect(requestsOf(lab)).toEqual(["identity GET /", "identity POST /v3/auth/tokens"]);
  });

  it("is 2.0 if the service offers nothing else", async () => {
    const service = await scriptedService(({ path }) =>
      path === "/"
        ? { status: 300, body: { versions: { values: [{ id: "v2.0", links: [{ rel: "self", href: "http://inner/v2.0/" }] }] } } }
        : { body: { access: { token: { id: "t", tenant: { id: "1", name: "demo" } } } } },
    );
    const client = closing(new OpenstackClient(configuration(demoAccess(service.url)), dependencies()));
    expect(await client.session()).toMatchObject({ project: { id: "1" }, renewAt: undefined });
    expect(service.asked[1]?.path).toBe("/v2.0/tokens");
  });

  it("that is configured is used, and reported if missing", async () => {
    const { client, lab } = await bench({ identityV2: false }, { access: { identityVersion: "2.0" } });
    await expect(client.session()).rejects.toMatchObject({
      code: "identity-version-not-offered",
      message: `${lab.urls.identity} has no identity v2.0 at /v2.0`,
    });
  });

  it("2.0 supports no application credentials", async () => {
    const access = {
      identityVersion: "2.0",
      applicationCredentialId: "i",
      applicationCredentialSecret: secret("s"),
      password: undefined,
    } as const;
    const { client } = await bench({}, { access });
    await expect(client.session()).rejects.toMatchObject({ code: "cloud-incomplete" });
  });
});

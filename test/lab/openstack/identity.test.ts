import { describe, expect, it } from "vitest";
import { call, DOMAIN, lab, login, passwordAuth, person, projectScope, unscoped } from "./support.js";

const REQUIRED = { error: { code: 401, message: "The request you have made requires authentication.", title: "Unauthorized" } };

describe("identity v3", () => {
  it("returns a token for a password and a project: header, expiry, roles, catalog", async () => {
    const { lab: cloud } = await lab();
    const { status, headers, json } = await call(cloud, "identity", "POST", "/v3/auth/tokens", passwordAuth("demo", projectScope("demo")));
    expect([status, headers.get("x-subject-token")?.length, headers.get("vary")]).toEqual([201, 183, "X-Auth-Token"]);
    expect(headers.get("x-openstack-request-id")).toMatch(/^req-[0-9a-f-]{36}$/);
    expect(json.token).toMatchObject({
      methods: ["password"],
      user: { domain: { id: "default", name: "Default" }, name: "demo", password_expires_at: null },
      expires_at: "2026-01-05T09:00:00.000000Z",
      issued_at: "2026-01-05T08:00:00.000000Z",
      project: { domain: { id: "default", name: "Default" }, name: "demo" },
      is_domain: false,
    });
    expect(json.token.roles.map(({ name }: { name: string }) => name)).toEqual(["member", "reader"]);
    const urls = Object.fromEntries(
      json.token.catalog.map((entry: { type: string; endpoints: { url: string }[] }) => [entry.type, entry.endpoints[0]?.url]),
    );
    const { identity, network, compute, image, volume } = cloud.urls;
    const volumev3 = `${volume}/v3/${json.token.project.id}`;
    expect(urls).toEqual({ identity: `${identity}/v3/`, network, compute: `${compute}/v2.1`, image, volumev3 });
    expect(json.token.catalog[0].endpoints[0]).toMatchObject({ interface: "public", region: "RegionOne", region_id: "RegionOne" });
    const without = await call(cloud, "identity", "POST", "/v3/auth/tokens?nocatalog", passwordAuth("demo", projectScope("demo")));
    expect(without.json.token.catalog).toBeUndefined();
  });

  it("ignores the specification's tenantName next to the user, and accepts domains by name and projects by id", async () => {
    const { lab: cloud } = await lab();
    const { projectId } = await login(cloud);
    const user = { name: "demo", domain: { name: "Default" }, password: "secret", tenantName: "nonsense" };
    const auth = { identity: { methods: ["password"], password: { user } }, scope: { project: { id: projectId } } };
    expect((await call(cloud, "identity", "POST", "/v3/auth/tokens", { auth })).json.token.project.id).toBe(projectId);
  });

  it("has several regions and a compute endpoint with the project, if requested", async () => {
    const { lab: cloud } = await lab({ regions: ["one", "two"], projectInComputeEndpoint: true });
    const { projectId, identity } = await login(cloud);
    const { catalog } = (await identity("GET", "/v3/auth/catalog")).json;
    const compute = catalog.find(({ type }: { type: string }) => type === "compute");
    expect(compute.endpoints).toHaveLength(6);
    expect(compute.endpoints[3]).toMatchObject({ region: "two", url: `${cloud.urls.compute}/v2.1/${projectId}` });
  });

  it("supports unscoped and system-scoped tokens", async () => {
    const { lab: cloud } = await lab();
    const none = await call(cloud, "identity", "POST", "/v3/auth/tokens", passwordAuth("demo"));
    expect(Object.keys(none.json.token).sort()).toEqual(["audit_ids", "expires_at", "issued_at", "methods", "user"]);
    expect(none.headers.get("x-subject-token")).toHaveLength(162);
    const system = await call(cloud, "identity", "POST", "/v3/auth/tokens", passwordAuth("admin", { system: { all: true } }));
    expect(system.json.token.system).toEqual({ all: true });
    expect((await call(cloud, "identity", "POST", "/v3/auth/tokens", passwordAuth("demo", { system: { all: true } }))).status).toBe(401);
  });

  it.each([
    ["a wrong password", passwordAuth("demo", projectScope("demo"), "no")],
    ["an unknown user", passwordAuth("nobody", projectScope("demo"))],
    ["an unknown project", passwordAuth("demo", projectScope("nowhere"))],
    ["a project without a role", passwordAuth("demo", projectScope("other"))],
  ])("does not say what is wrong: %s", async (_, body) => {
    const { lab: cloud } = await lab();
    const { status, json, headers } = await call(cloud, "identity", "POST", "/v3/auth/tokens", body);
    expect([status, json, headers.get("www-authenticate")]).toEqual([401, REQUIRED, `Keystone uri="${cloud.urls.identity}/v3"`]);
  });

  it("refuses malformed requests with 400", async () => {
    const { lab: cloud } = await lab();
    const ask = async (body: unknown, headers?: Record<string, string>): Promise<[number, string]> => {
      const { status, json } = await call(cloud, "identity", "POST", "/v3/auth/tokens", body, headers);
      return [status, json.error.message.split(".")[0]];
    };
    expect(await ask("{")).toEqual([400, "Expecting to find valid JSON in request body"]);
    expect(await ask("{}", { "content-type": "text/plain" })).toEqual([400, "Expecting to find application/json in Content-Type header"]);
    expect(await ask({})).toEqual([400, "Expecting to find auth in request body"]);
    expect((await ask({ auth: {} }))[1]).toMatch(/^'identity' is a required property/);
    expect(await ask({ auth: { identity: { methods: ["foo"] } } })).toEqual([400, "Expecting to find foo in identity"]);
    expect(await ask(passwordAuth("demo", { project: { name: "demo" } }))).toEqual([400, "Expecting to find domain in project"]);
    const user = { name: "demo", password: "secret" };
    expect(await ask({ auth: { identity: { methods: ["password"], password: { user } } } })).toEqual([
      400,
      "Expecting to find domain in user",
    ]);
  });

  it("ends tokens by time and by revocation; every service answers 401 in its own form", async () => {
    const { lab: cloud, clock } = await lab({ identity: { tokenLifetime: 6000 } });
    const demo = await login(cloud);
    expect((await demo.network("GET", "/networks")).status).toBe(200);
    clock.advance(6000);
    const plainBody = { error: { code: 401, title: "Unauthorized", message: REQUIRED.error.message } };
    expect(await demo.network("GET", "/networks")).toMatchObject({ status: 401, json: plainBody });
    expect(await demo.compute("GET", "/v2.1/servers")).toMatchObject({ status: 401, json: plainBody });
    expect(await demo.compute("GET", "/v2/whatever/servers")).toMatchObject({ status: 401, json: plainBody });
    const image = await demo.image("GET", "/v2/images");
    expect([image.status, image.headers.get("content-type")]).toEqual([401, "text/plain; charset=UTF-8"]);
    expect(image.text).toMatch(/^401 Unauthorized\n\nThis server could not verify/);
    expect((await demo.identity("GET", "/v3/auth/projects")).status).toBe(401);
    const second = await login(cloud);
    const gone = await second.identity("DELETE", "/v3/auth/tokens", undefined, { "x-subject-token": second.token });
    expect([gone.status, (await second.network("GET", "/networks")).status]).toEqual([204, 401]);
  });

  it("validates tokens, and re-scopes one without a longer life", async () => {
    const { lab: cloud, clock } = await lab();
    const demo = await login(cloud);
    const subject = { "x-subject-token": demo.token };
    expect((await demo.identity("GET", "/v3/auth/tokens", undefined, subject)).json.token.project.name).toBe("demo");
    expect((await demo.identity("HEAD", "/v3/auth/tokens", undefined, subject)).status).toBe(200);
    expect((await demo.identity("GET", "/v3/auth/tokens")).status).toBe(403);
    const wrong = await demo.identity("GET", "/v3/auth/tokens", undefined, { "x-subject-token": "x" });
    expect(wrong.json.error).toMatchObject({ code: 404, message: "Could not recognize Fernet token" });
    clock.advance(1000);
    const auth = (id: string): object => ({ auth: { identity: { methods: ["token"], token: { id } }, scope: projectScope("demo") } });
    expect((await call(cloud, "identity", "POST", "/v3/auth/tokens", auth(demo.token))).json.token.expires_at).toBe(
      "2026-01-05T09:00:00.000000Z",
    );
    const dead = await call(cloud, "identity", "POST", "/v3/auth/tokens", auth("x"));
    expect([dead.status, dead.json.error.message]).toEqual([404, "Failed to validate token"]);
  });

  it("lists projects: a user's own, and all for administrators", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const own = (await demo.identity("GET", "/v3/auth/projects?limit=1")).json;
    expect(own.projects).toEqual([
      {
        ...{ id: demo.projectId, name: "demo", domain_id: "default", description: "demo project", enabled: true, parent_id: "default" },
        ...{ is_domain: false, tags: [], options: {}, links: { self: `${cloud.urls.identity}/v3/projects/${demo.projectId}` } },
      },
    ]);
    expect(own.links.next).toBeNull();
    const denied = "You are not authorized to perform the requested action: identity:list_projects.";
    expect((await demo.identity("GET", "/v3/projects")).json.error).toEqual({ code: 403, message: denied, title: "Forbidden" });
    expect((await demo.identity("GET", `/v3/projects/${demo.projectId}`)).json.project.name).toBe("demo");
    const id = cloud.world.as("demo").userId;
    expect((await demo.identity("GET", `/v3/users/${id}/projects`)).json.projects).toEqual(own.projects);
    expect((await demo.identity("GET", "/v3/users/another/projects")).status).toBe(403);
    const admin = await login(cloud, "admin");
    expect((await admin.identity("GET", "/v3/projects")).json.projects).toHaveLength(3);
    expect((await admin.identity("GET", "/v3/projects?name=demo")).json.projects).toHaveLength(1);
    const missing = await admin.identity("GET", "/v3/projects/nope");
    expect(missing.json.error).toEqual({ code: 404, message: "Could not find project: nope.", title: "Not Found" });
    expect(() => cloud.world.identity.addProject("demo")).toThrow(/Conflict occurred attempting to store project/);
  });

  it("discovers versions, and answers unknown paths with HTML", async () => {
    const { lab: cloud } = await lab({ linkBase: "http://inner.example:1" });
    const root = await call(cloud, "identity", "GET", "/");
    expect([root.status, root.json.versions.values.map(({ id }: { id: string }) => id)]).toEqual([300, ["v3.14", "v2.0"]]);
    expect(root.json.versions.values[0].links[0].href).toBe("http://inner.example:1/v3/");
    expect((await call(cloud, "identity", "GET", "/v3")).json.version.id).toBe("v3.14");
    const unknown = await call(cloud, "identity", "GET", "/v3/foo");
    expect([unknown.status, unknown.headers.get("content-type"), unknown.text.slice(0, 15)]).toEqual([
      404,
      "text/html; charset=utf-8",
      "<!doctype html>",
    ]);
    expect((await call(cloud, "identity", "PATCH", "/v3/auth/tokens")).status).toBe(405);
  });
});

describe("application credentials", () => {
  it("are created with a secret that is shown once, and return tokens of their project", async () => {
    const { lab: cloud } = await lab();
    const demo = await login(cloud);
    const id = cloud.world.as("demo").userId;
    const made = await demo.identity("POST", `/v3/users/${id}/application_credentials`, { application_credential: { name: "ac" } });
    const { secret, ...shown } = made.json.application_credential;
    expect([made.status, secret.length, shown.project_id]).toEqual([201, 86, demo.projectId]);
    expect((await demo.identity("GET", `/v3/users/${id}/application_credentials`)).json.application_credentials).toEqual([shown]);
    expect((await demo.identity("GET", `/v3/users/${id}/application_credentials/${shown.id}`)).json.application_credential).toEqual(shown);
    const ask = (given: object, more = {}): ReturnType<typeof call> =>
      call(cloud, "identity", "POST", "/v3/auth/tokens", {
        auth: { identity: { methods: ["application_credential"], application_credential: given }, ...more },
      });
    const token = await ask({ id: shown.id, secret });
    expect([token.status, token.headers.get("x-subject-token")?.length]).toEqual([201, 204]);
    expect(token.json.token).toMatchObject({ project: { name: "demo" }, application_credential: { name: "ac", restricted: true } });
    expect((await ask({ name: "ac", user: { name: "demo", domain: DOMAIN }, secret })).status).toBe(201);
    expect((await ask({ id: shown.id, secret: "wrong" })).json).toEqual(REQUIRED);
    const scoped = await ask({ id: shown.id, secret }, { scope: projectScope("demo") });
    expect([scoped.status, scoped.json.error.message]).toEqual([
      401,
      "Error authenticating with application credential: Application credentials cannot request a scope.",
    ]);
    const restricted = person(cloud, token.headers.get("x-subject-token") ?? "");
    expect(
      (await restricted.identity("POST", `/v3/users/${id}/application_credentials`, { application_credential: { name: "b" } })).status,
    ).toBe(403);
    expect((await demo.identity("DELETE", `/v3/users/${id}/application_credentials/${shown.id}`)).status).toBe(204);
    const gone = await ask({ id: shown.id, secret });
    expect([gone.status, gone.json.error.message]).toEqual([404, `Could not find Application Credential: ${shown.id}.`]);
  });

  it("shorten their tokens if they expire earlier", async () => {
    const { lab: cloud } = await lab();
    const { token } = await login(cloud);
    const live = cloud.world.identity.token(token);
    if (live === undefined) throw new Error("the token just given is live");
    const credential = cloud.world.identity.addCredential(live, "short", { expiresAt: Date.UTC(2026, 0, 5, 8, 10) });
    const given = { id: credential.id, secret: credential.secret };
    const body = { auth: { identity: { methods: ["application_credential"], application_credential: given } } };
    expect((await call(cloud, "identity", "POST", "/v3/auth/tokens", body)).json.token.expires_at).toBe("2026-01-05T08:10:00.000000");
  });
});

describe("identity v2.0", () => {
  it("returns the token reply of the specification, every field", async () => {
    const { lab: cloud } = await lab();
    const passwordCredentials = { username: "demo", password: "secret" };
    const { status, json } = await call(cloud, "identity", "POST", "/v2.0/tokens", { auth: { passwordCredentials, tenantName: "demo" } });
    expect([status, Object.keys(json.access).sort()]).toEqual([200, ["metadata", "serviceCatalog", "token", "user"]]);
    const { metadata, serviceCatalog, token, user } = json.access;
    expect(metadata).toEqual({ is_admin: 0, roles: [expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)] });
    expect(serviceCatalog.map(({ type }: { type: string }) => type)).toEqual(["identity", "network", "compute", "image", "volumev3"]);
    expect(serviceCatalog[1].endpoints[0]).toMatchObject({ publicURL: cloud.urls.network, region: "RegionOne" });
    expect(token).toMatchObject({ issued_at: "2026-01-05T08:00:00.000000Z", expires: "2026-01-05T09:00:00Z" });
    expect(token.tenant).toMatchObject({ name: "demo", description: "demo project", enabled: true });
    expect(user).toMatchObject({ name: "demo", username: "demo", roles: [{ name: "member" }, { name: "reader" }], roles_links: [] });
    const someone = person(cloud, token.id);
    expect((await someone.network("GET", "/networks")).status).toBe(200);
    for (const path of ["/v2.0/tenants/", "/v2.0/tenants"]) {
      expect((await someone.identity("GET", path)).json).toEqual({ tenants: [token.tenant], tenants_links: [] });
    }
    const again = await call(cloud, "identity", "POST", "/v2.0/tokens", { auth: { token: { id: token.id }, tenantId: token.tenant.id } });
    expect(again.json.access.token.tenant).toEqual(token.tenant);
    const none = await call(cloud, "identity", "POST", "/v2.0/tokens", { auth: { passwordCredentials } });
    expect([none.json.access.token.tenant, none.json.access.serviceCatalog]).toEqual([undefined, []]);
    const bad = await call(cloud, "identity", "POST", "/v2.0/tokens", {
      auth: { passwordCredentials: { username: "demo", password: "x" } },
    });
    expect([bad.status, bad.json]).toEqual([401, REQUIRED]);
  });

  it("is absent, with HTML, if so configured", async () => {
    const { lab: cloud } = await lab({ identityV2: false });
    const reply = await call(cloud, "identity", "POST", "/v2.0/tokens", { auth: {} });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect((await call(cloud, "identity", "GET", "/")).json.versions.values).toHaveLength(1);
  });
});

describe("a token without a project", () => {
  it("lists nothing, with 200, and creates nothing", async () => {
    const { lab: cloud } = await lab();
    const nobody = await unscoped(cloud);
    expect((await nobody.network("GET", "/networks?fields=name")).json).toEqual({ networks: [{ name: "public" }] });
    for (const kind of ["subnets", "ports", "routers", "security-groups"]) {
      expect((await nobody.network("GET", `/${kind}`)).json).toEqual({ [kind.replace("-", "_")]: [] });
    }
    expect((await nobody.compute("GET", "/v2.1/servers")).json).toEqual({ servers: [] });
    const made = await nobody.network("POST", "/networks", { network: {} });
    expect(made.json.NeutronError.message).toBe("Running without keystone AuthN requires that tenant_id is specified");
    const { projectId } = await login(cloud);
    const malformed = `Malformed request URL: URL's project_id '${projectId}' doesn't match Context's project_id 'None'`;
    expect((await nobody.compute("GET", `/v2/${projectId}/servers`)).json).toEqual({ badRequest: { code: 400, message: malformed } });
  });

  it("of an administrator sees no more, of the system everything", async () => {
    const { lab: cloud } = await lab();
    const admin = await unscoped(cloud, "admin");
    expect((await admin.network("GET", "/subnets")).json.subnets).toEqual([]);
    const system = await login(cloud, "admin", { system: { all: true } });
    expect((await system.network("GET", "/subnets")).json.subnets).toHaveLength(2);
  });
});

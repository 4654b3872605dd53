import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answered } from "./access-sample.js";
import { PageWorld, TOKEN } from "./world.js";

const REQUEST = { target: "fra-edge-a", from: "web-01", to: "db-01", service: "tcp/22", application: "ssh", reason: "CHG-1" };

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>>;
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: object } } };
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let world: PageWorld;
let document: Document;
let ajv: Ajv2020;

beforeEach(async () => {
  const since = new Date().toISOString();
  const firewall = { serial: "0071", hostname: "fw-a", wave: 1, step: "pushing", since, job: "12" } as const;
  world = await PageWorld.start({
    answerAccess: async (question) => answered(question),
    rollout: { commit: "a".repeat(40), wave: 1, of: 2, failed: [], open: ["ams-edge-a"], left: ["fra-edge-a"] },
  });
  await world.events.emit({
    type: "push-moved",
    target: "fra-edge-a",
    course: { run: "r", by: "x", began: since, waves: 1, isBack: false, firewalls: [firewall] },
  } as never);
  document = (await (await fetch(`${world.url}api/openapi.json`)).json()) as Document;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ $id: "api", components: document.components });
});
afterEach(async () => await world.close());

/** Checks a reply against the document. */
async function expectValid(path: string, method: string, reply: Response): Promise<unknown> {
  const operation = document.paths[path]?.[method];
  const response = operation?.responses[reply.ok ? reply.status : "default"];
  const schema = JSON.parse(JSON.stringify(response?.content["application/json"]?.schema ?? false).replaceAll('"#/', '"api#/'));
  const body: unknown = await reply.json();
  const validate = ajv.compile(schema);
  expect([path, reply.status, validate(body), validate.errors]).toEqual([path, reply.status, true, null]);
  return body;
}

describe("the description of the API", () => {
  it("is OpenAPI 3.1 and contains every route that the page uses", () => {
    expect(document.openapi).toBe("3.1.0");
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const read = ["access", "audit", "events", "fleet", "history", "openapi.json", "session", "target", "targets"].map(
      (name) => `get /api/${name}`,
    );
    const act = ["access", "allow", "approve", "login", "logout", "pause", "plan", "propose", "reconcile", "resume"].map(
      (name) => `post /api/${name}`,
    );
    expect(operations.sort()).toEqual([...read, ...act].sort());
    for (const schema of Object.values(document.components.schemas))
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
  });

  it("describes every reply of the page", async () => {
    const { rows } = (await (await fetch(`${world.url}api/fleet`)).json()) as { readonly rows: readonly [string][] };
    const paths = ["access", "fleet", "targets", "history", "audit", "session", "openapi.json"].map((name) => `/api/${name}`);
    for (const path of paths) await expectValid(path, "get", await fetch(`${world.url}${path.slice(1)}`));
    for (const [name] of rows) await expectValid("/api/target", "get", await fetch(`${world.url}api/target?name=${name}`));
    await expectValid("/api/target", "get", await fetch(`${world.url}api/target?name=nobody`));
  });

  it("describes actions, and refuses a body with another type", async () => {
    const post = async (name: string, body: object, headers: Record<string, string> = {}) =>
      await fetch(`${world.url}api/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
    const signedIn = await post("login", { name: "ann", token: TOKEN });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const { csrf } = (await expectValid("/api/login", "post", signedIn)) as { readonly csrf: string };
    const headers = { cookie, "x-csrf-token": csrf };
    const { digest } = (await (await post("access", REQUEST, headers)).json()) as { readonly digest: string };
    for (const [name, body, status] of [
      ["pause", { target: "fra-edge-a", reason: "CHG-1" }, 200],
      ["pause", { target: "fra-edge-a", reason: 1 }, 400],
      ["resume", { target: "fra-edge-a" }, 200],
      ["resume", { target: "fra-edge-a" }, 409],
      ["plan", { target: "fra-edge-a" }, 202],
      ["approve", { target: "fra-edge-a", digest: "x" }, 409],
      ["allow", { target: "fra-edge-a", digest: "x", flags: "deletes" }, 400],
      ["access", REQUEST, 200],
      ["access", { ...REQUEST, from: 1 }, 400],
      ["propose", { ...REQUEST, digest }, 200],
      ["propose", { ...REQUEST, digest: "x" }, 409],
      ["login", { token: TOKEN, name: ["ann"] }, 400],
      ["logout", {}, 200],
    ] as const) {
      const reply = await post(name, body, headers);
      expect([name, reply.status]).toEqual([name, status]);
      await expectValid(`/api/${name}`, "post", reply);
    }
  });
});

it("lists targets with the names of all fields", async () => {
  await world.store.pauses.pause({ target: "ams-edge-a", reason: "x", by: "ann", since: world.now, until: undefined });
  const { targets } = (await (await fetch(`${world.url}api/targets`)).json()) as { readonly targets: readonly { readonly name: string }[] };
  expect(targets).toHaveLength(58);
  const target = (name: string) => targets.find((each) => each.name === name);
  expect(target("fra-edge-a")).toMatchObject({ state: "drifted", drifts: 5, who: "j.novak, m.kovacs", paused: false });
  expect(target("fra-edge-a")).toMatchObject({ noAnswer: { visits: 2, since: world.now / 1000, nextTry: world.now / 1000 } });
  expect(target("vie-edge-b")).not.toHaveProperty("noAnswer");
  expect(target("vie-edge-b")).toMatchObject({ state: "refused" });
});

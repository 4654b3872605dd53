import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json/value.js";
import { renderJson } from "../../../src/report/json.js";
import { CloudWorld } from "./cloud-world.js";

/** The body of a server's create request. */
async function created(config: string, name = "s"): Promise<JsonObject> {
  const world = (await CloudWorld.start()).want(config);
  await world.reconciled();
  const posts = world.lab.journal.filter(({ method, path }) => method === "POST" && path.endsWith("/servers"));
  const servers = posts.map(({ body }) => (body as { server: JsonObject }).server);
  return servers.find((server) => server.name === name) ?? {};
}

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);

describe("the create of a server", () => {
  it("has the specification's keys with values, and no others", async () => {
    const server = await created(
      "servers: { s: { image: cirros, flavor: m1.small, key_name: demo-key, networks: [{ network: private }] } }",
    );
    expect(server).toEqual({
      name: "s",
      imageRef: UUID,
      flavorRef: "2",
      min_count: 1,
      max_count: 1,
      key_name: "demo-key",
      networks: [{ uuid: UUID }],
      metadata: {
        plumbline_owner: "netops",
        plumbline_key: "s",
        plumbline_run: expect.stringMatching(/^[0-9a-f]{8}$/),
        plumbline_image: expect.stringMatching(/ cirros$/),
      },
    });
  });

  it("names networks by uuid, with or without an address, and ports", async () => {
    const lists = "networks: { n: { subnets: { n-1: { cidr: 10.5.0.0/24 } } } }\nports: { p: { network: n } }";
    const networks = "[{ network: private, fixed_ip: 10.0.0.77 }, { network: n }, { port: p }]";
    const server = await created(`${lists}\nservers: { s: { image: cirros, flavor: m1.tiny, networks: ${networks} } }`);
    expect(server.networks).toEqual([{ uuid: UUID, fixed_ip: "10.0.0.77" }, { uuid: UUID }, { port: UUID }]);
  });

  it("contains scheduler hints with the ids of servers of the same run", async () => {
    const world = await CloudWorld.start();
    const documents = `server_groups: { near: { policy: affinity } }
servers:
  s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], server_group: near, scheduler_hints: { different_host: [t], same_host: [u], query: '[">=", "$free_ram_mb", 1024]' } }
  t: { image: cirros, flavor: m1.tiny, networks: [{ network: private }] }
  u: { image: cirros, flavor: m1.tiny, networks: [{ network: private }] }
`;
    await world.want(documents).reconciled();
    const posts = world.lab.journal.filter(({ method, path }) => method === "POST" && path.endsWith("/servers"));
    expect(posts.map(({ body }) => (body as JsonObject)["os:scheduler_hints"]).filter((each) => each !== undefined)).toEqual([
      { group: UUID, different_host: [UUID], same_host: [UUID], query: '[">=", "$free_ram_mb", 1024]' },
    ]);
    expect((await world.plan()).plan?.changes).toEqual([]);
    const made = () => new Map(world.lab.world.compute.servers(world.lab.world.as("demo").projectId).map(({ name, id }) => [name, id]));
    const before = made();
    world.want(documents.replace("t: {", "t: { $replace: true, key_name: demo-key,").replace("same_host: [u], ", ""));
    await world.reconciled();
    expect(made().get("s")).toBe(before.get("s"));
    expect(made().get("t")).not.toBe(before.get("t"));
  });

  it("of servers that name each other contains it once, and a server whose other is gone stays", async () => {
    const server = (name: string, other: string) =>
      `  ${name}: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], scheduler_hints: { different_host: [${other}] } }\n`;
    const world = (await CloudWorld.start()).want(`servers:\n${server("a", "b")}${server("b", "a")}`);
    await world.reconciled();
    const hints = world.lab.journal.filter(({ method, body }) => method === "POST" && JSON.stringify(body)?.includes("different_host"));
    expect(hints).toHaveLength(1);
    const [{ name: kept, id } = { name: "", id: "" }] = world.lab.world.compute.servers(world.lab.world.as("demo").projectId);
    world.want(`servers:\n${server(kept, kept === "a" ? "b" : "a")}`);
    await world.reconciled();
    expect(world.lab.world.compute.servers(world.lab.world.as("demo").projectId).map((each) => each.id)).toEqual([id]);
    expect((await world.plan()).plan?.changes).toEqual([]);
  });

  it("is one request for each of $count, and creates only missing ones", async () => {
    const world = (await CloudWorld.start()).want(
      "servers: { w: { $count: 3, image: cirros, flavor: m1.tiny, networks: [{ network: private }] } }",
    );
    await world.reconciled();
    const demo = world.lab.world.as("demo");
    const second = world.lab.world.compute.servers(demo.projectId).find(({ name }) => name === "w-2");
    world.act("DELETE", `/v2.1/servers/${second?.id}`);
    world.clock.advance(10_000);
    const since = world.lab.journal.length;
    await world.reconciled();
    expect(world.writesSince(since)).toEqual(["POST /v2.1/servers"]);
    expect(
      world.lab.world.compute
        .servers(demo.projectId)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["w-1", "w-2", "w-3"]);
  });

  it("supports further fields: zone, drive, groups, user data", async () => {
    const more = 'security_groups: [default], availability_zone: nova, config_drive: false, user_data: "#!/bin/sh"';
    const server = await created(`servers: { s: { image: cirros, flavor: m1.tiny, networks: [{ network: private }], ${more} } }`);
    expect(server).toMatchObject({
      security_groups: [{ name: "default" }],
      availability_zone: "nova",
      config_drive: false,
      user_data: "…",
    });
  });

  it.each([
    ["plan", "'${env:SCRIPT}'"],
    ["reconcile", "'${env:SCRIPT}'"],
    ["plan", '"#!/bin/sh\\necho hush-hush-4711"'],
    ["reconcile", '"#!/bin/sh\\necho hush-hush-4711"'],
  ] as const)("keeps user data out of what %s says, logs and leaves behind, where it is %s", async (command, said) => {
    const world = await CloudWorld.start();
    const script = "#!/bin/sh\necho hush-hush-4711";
    world.environment = { SCRIPT: script };
    const server = "{ image: cirros, flavor: m1.tiny, networks: [{ network: private }], user_data: SAID }".replace("SAID", said);
    world.want(`servers: { s: ${server} }`);
    const outcome = await (command === "plan" ? world.plan() : world.reconciled());
    const shown = [renderJson(command, [outcome]), ...world.injected.logged, ...world.injected.warnings];
    const left = readdirSync(world.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(world.checkout))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect(shown[0]).toContain("user_data");
    for (const text of [...shown, ...left])
      for (const secret of ["hush-hush-4711", Buffer.from(script).toString("base64")]) expect(text).not.toContain(secret);
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { subnetNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";
import type { Session } from "../harness/session.js";

const DECLARED = `subnetpools: { inner: { prefixes: [10.5.0.0/24, 10.6.0.0/24], default_prefixlen: 26, description: ours } }
networks:
  web: { subnets: { web-a: { subnetpool: inner } } }
  db: { subnets: { db-a: { subnetpool: inner, cidr: 10.6.0.0/25 }, db-b: { subnetpool: inner, prefixlen: 27, gateway_ip: "null" } } }
`;

const poolNamed = (user: Session, name: string) => user.named("network", "/v2.0/subnetpools", "subnetpools", name);

async function reconciled(repository: Repository, ...words: readonly string[]): Promise<void> {
  const done = await repository.plumbline("reconcile", ...words);
  expect(done, done.err + done.out).toMatchObject({ code: 0 });
  const plan = await repository.plumbline("plan");
  expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
}

onEachCloud("subnet pools", (open) => {
  it("are created before their subnets, grown, shrunk, healed, imported and removed", async () => {
    const { user, ...rig } = await open();
    const repository = Repository.create({ user, ...rig }, { "cloud/main.yaml": document(DECLARED) });
    await reconciled(repository);
    const pool = await poolNamed(user, "inner");
    expect(pool).toMatchObject({ prefixes: ["10.5.0.0/24", "10.6.0.0/24"], description: "ours" });
    expect(await subnetNamed(user, "web-a")).toMatchObject({ subnetpool_id: pool.id, cidr: expect.stringMatching(/\/26$/) });
    expect(await subnetNamed(user, "db-a")).toMatchObject({ subnetpool_id: pool.id, cidr: "10.6.0.0/25" });
    expect(await subnetNamed(user, "db-b")).toMatchObject({ gateway_ip: null, cidr: expect.stringMatching(/\/27$/) });

    for (const [said, shown] of [
      ["10.5.0.0/24, 10.6.1.0/24, 10.6.0.0/24", ["10.5.0.0/24", "10.6.0.0/23"]],
      ["10.5.0.0/24, 10.6.0.0/24, 10.6.1.128/25", ["10.5.0.0/24", "10.6.0.0/24", "10.6.1.128/25"]],
    ] as const) {
      repository.declare(DECLARED.replace("10.5.0.0/24, 10.6.0.0/24", said).replace("description: ours", "min_prefixlen: 24"));
      await reconciled(repository);
      expect(await poolNamed(user, "inner")).toMatchObject({ id: pool.id, prefixes: shown, description: "", min_prefixlen: "24" });
    }
    repository.declare(DECLARED.replace("10.5.0.0/24, 10.6.0.0/24", "10.5.0.0/24"));
    const used = await repository.plumbline("reconcile");
    expect(used.code, used.err + used.out).not.toBe(0);
    expect(used.err + used.out).toContain("One or more the prefixes to be removed is in use by a subnet");

    repository.declare(DECLARED);
    await reconciled(repository);
    await user.demand("network", "PUT", `/v2.0/subnetpools/${pool.id}`, { subnetpool: { default_prefixlen: 28, description: "theirs" } });
    const drift = await repository.plumbline("drift");
    expect(drift, drift.err + drift.out).toMatchObject({ code: 2, out: expect.stringContaining("theirs") });
    await reconciled(repository);
    expect(await poolNamed(user, "inner")).toMatchObject({ id: pool.id, description: "ours", default_prefixlen: "26" });

    await user.demand("network", "POST", "/v2.0/subnetpools", { subnetpool: { name: "theirs", prefixes: ["10.9.0.0/24"] } });
    const imported = await repository.plumbline("import", "cloud", "--out", "mine");
    expect(imported, imported.err + imported.out).toMatchObject({ code: 0 });
    const text = readFileSync(join(repository.folder, "mine/cloud/subnetpools.yaml"), "utf8");
    for (const part of ["theirs", "$adopt: true", "10.9.0.0/24"]) expect(text).toContain(part);
    repository.declare("networks: { last: {} }");
    await reconciled(repository, "--allow", "empty-list=5");
    expect((await user.list("network", "/v2.0/subnetpools", "subnetpools")).map(({ name }) => name)).toEqual(["theirs"]);
  });

  it("without space, or outside the requested network, are reported before a create, and the rest is created", async () => {
    const rig = await open();
    const wrong = DECLARED.replace("web-a: { subnetpool: inner }", "web-a: { subnetpool: inner, prefixlen: 20 }").replace(
      "10.6.0.0/25",
      "192.0.2.0/24",
    );
    const repository = Repository.create(rig, { "cloud/main.yaml": document(wrong) });
    const since = Date.now();
    const refused = await repository.plumbline("reconcile");
    expect(refused.code, refused.err + refused.out).toBe(4);
    const told = refused.err + refused.out;
    expect(told).toContain("Insufficient prefix space to allocate subnet size /20");
    expect(told).toContain("Cannot allocate requested subnet from the available set of prefixes");
    // A refusal is final and not awaited like a lost reply.
    expect(Date.now() - since).toBeLessThan(60_000);
    expect(await subnetNamed(rig.user, "db-b")).toMatchObject({ gateway_ip: null });
    repository.declare(DECLARED);
    await reconciled(repository);
  });
});

import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { newDifferences } from "../differential/known-differences.js";
import { NETWORK_FIXTURES, NETWORK_KINDS } from "../differential/network-kinds.js";
import { Pair } from "../differential/pair.js";
import { type Difference, runKinds } from "../differential/run-kinds.js";
import { openReal } from "../harness/rig.js";
import { Session } from "../harness/session.js";

const services = inject("services");
const real = "real" in services ? services.real : undefined;
const SEED = Number(process.env.PLUMBLINE_SEED ?? 40);
const COUNT = Number(process.env.PLUMBLINE_DIFFERENTIAL_COUNT ?? 0);

describe.skipIf(real === undefined)("the lab and the real services answer generated requests alike", () => {
  let pair: Pair;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    if (real === undefined) return;
    const rig = await openReal(real);
    const lab = await startOpenstackLab({ ports: "free" });
    closing.push(
      () => rig.close(),
      () => lab.close(),
    );
    const user = new Session({ authUrl: lab.authUrl, username: "other", password: "secret", project: "other" });
    pair = new Pair(rig.user, user);
    pair.name("project", await rig.user.projectId(), await user.projectId());
    await pair.nameListed("network", "/v2.0/networks", "networks");
    await pair.nameListed("network", "/v2.0/security-groups", "security_groups");
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  it("network", async () => {
    for (const [name, path, singular, body] of NETWORK_FIXTURES) {
      const made = await pair.send({ service: "network", method: "POST", path, body: { [singular]: body } });
      expect([made.real.status, made.lab.status], name).toEqual([201, 201]);
      pair.name(name, made.real.json[singular].id, made.lab.json[singular].id);
    }
    const linked = { subnet_id: "$linkedsub" };
    await pair.send({ service: "network", method: "PUT", path: "/v2.0/routers/$edge/add_router_interface", body: linked });
    const differences = await runKinds(pair, NETWORK_KINDS, SEED, COUNT || 600);
    report("network", differences);
  }, 900_000);

  function report(service: string, differences: readonly Difference[]): void {
    const unknown = newDifferences(differences);
    const known = differences.length - unknown.length;
    console.info(
      `${service}: ${pair.sent} requests (seed ${SEED}), ${differences.length} answered differently: ${known} known, ${unknown.length} new`,
    );
    const file = process.env.PLUMBLINE_DIFFERENCES;
    if (file !== undefined) writeFileSync(`${file}-${service}.json`, JSON.stringify(differences, undefined, 1));
    expect(unknown).toEqual([]);
  }
});

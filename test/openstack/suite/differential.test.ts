import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { COMPUTE_KINDS } from "../differential/compute-kinds.js";
import type { Kind } from "../differential/kind.js";
import { newDifferences } from "../differential/known-differences.js";
import { NETWORK_FIXTURES, NETWORK_KINDS } from "../differential/network-kinds.js";
import { IDENTITY_KINDS, IMAGE_KINDS, VOLUME_KINDS } from "../differential/other-kinds.js";
import { Pair } from "../differential/pair.js";
import { type Difference, runKinds } from "../differential/run-kinds.js";
import { openReal } from "../harness/rig.js";
import { Session } from "../harness/session.js";

const services = inject("services");
const real = "real" in services ? services.real : undefined;
const SEED = Number(process.env.PLUMBLINE_SEED ?? 40);
const COUNT = Number(process.env.PLUMBLINE_DIFFERENTIAL_COUNT ?? 0);

describe.skipIf(real === undefined)("the lab and the real services give the same answers to generated requests", () => {
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
    await pair.nameListed("compute", "/flavors", "flavors");
    await pair.nameListed("image", "/v2/images", "images");
    const users = await Promise.all([rig.user.ownToken(), user.ownToken()]);
    pair.name("user", users[0].token.user.id, users[1].token.user.id);
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  it("compute", async () => {
    for (const [name, path, singular, body] of NETWORK_FIXTURES.filter(([each]) => each === "net" || each === "sub")) {
      // A list sorted by name has no order among networks of one name, such as those of the network service below.
      const named = { ...body, name: `compute-${name}` };
      const made = await pair.send({ service: "network", method: "POST", path, body: { [singular]: named } });
      expect([made.real.status, made.lab.status], name).toEqual([201, 201]);
      pair.name(name, made.real.json[singular].id, made.lab.json[singular].id);
    }
    await compare("compute", COMPUTE_KINDS, COUNT || 120);
  }, 3_600_000);

  it("volume", () => compare("volume", VOLUME_KINDS, COUNT || 120), 3_600_000);
  it("image", () => compare("image", IMAGE_KINDS, COUNT || 120), 3_600_000);
  it("identity", () => compare("identity", IDENTITY_KINDS, COUNT || 120), 3_600_000);

  it("network", async () => {
    for (const [name, path, singular, body] of NETWORK_FIXTURES) {
      const made = await pair.send({ service: "network", method: "POST", path, body: { [singular]: body } });
      expect([made.real.status, made.lab.status], name).toEqual([201, 201]);
      pair.name(name, made.real.json[singular].id, made.lab.json[singular].id);
    }
    const linked = { subnet_id: "$linkedsub" };
    await pair.send({ service: "network", method: "PUT", path: "/v2.0/routers/$edge/add_router_interface", body: linked });
    await compare("network", NETWORK_KINDS, COUNT || 600);
  }, 3_600_000);

  async function compare(service: string, kinds: readonly Kind[], count: number): Promise<void> {
    const before = pair.sent;
    const differences = await runKinds(pair, kinds, SEED, count);
    report(service, pair.sent - before, differences);
  }

  function report(service: string, sent: number, differences: readonly Difference[]): void {
    const unknown = newDifferences(differences);
    const known = differences.length - unknown.length;
    console.info(
      `${service}: ${sent} requests (seed ${SEED}), ${differences.length} answered differently: ${known} known, ${unknown.length} new`,
    );
    const file = process.env.PLUMBLINE_DIFFERENCES;
    if (file !== undefined) writeFileSync(`${file}-${service}.json`, JSON.stringify(differences, undefined, 1));
    const lines = unknown.map(({ where, labels, what }) => `${where} ${labels.join(", ")}: ${what.join("; ")}`);
    expect(lines, lines.join("\n")).toEqual([]);
  }
});

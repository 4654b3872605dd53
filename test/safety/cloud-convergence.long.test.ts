import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, it } from "vitest";
import { stringify } from "yaml";
import { VOLUME_NAMES } from "../openstack/convergence/draw-servers.js";
import { edgeDocument, FIREWALLS, firewallXml, IGNORED } from "../openstack/convergence/firewalls.js";
import { converges, type Site } from "../openstack/convergence/property.js";
import { Session } from "../openstack/harness/session.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

const SEED = Number(process.env.PLUMBLINE_SEED ?? 100);
const COUNT = Number(process.env.PLUMBLINE_CONVERGENCE_COUNT ?? 12);
const VOLUMES = VOLUME_NAMES.map((name) => `/openstack/volumes/entry[@name='${name}']`);
const ALLOWED = new Map([
  ["down", ""],
  ["data", VOLUMES.join("\n")],
]);

async function site(): Promise<Site> {
  const world = await CloudWorld.start();
  Object.assign(world, { user: "other", project: "other" });
  world.addFiles(FIREWALLS, IGNORED);
  writeFileSync(join(world.checkout, "edge.xml"), firewallXml({}));
  const session = (username: string) => new Session({ authUrl: world.lab.authUrl, username, password: "secret", project: username });
  return {
    user: session("other"),
    admin: session("admin"),
    declare: (spelling) => {
      writeFileSync(join(world.checkout, "office.xml"), firewallXml(spelling.live));
      world.wantText(edgeDocument(spelling), "edge.yaml");
      world.want(stringify(spelling.config));
    },
    reconcile: async () => void (await world.reconciled({ allow: ALLOWED })),
    plan: async () => (await world.plan()).plan?.changes.map(({ kind, path }) => `${kind} ${path}`) ?? ["no plan"],
    pause: async (milliseconds) => world.clock.advance(milliseconds),
    drift: async () => (await world.drift()).drift?.items.map(({ change: { path } }) => path.toString()) ?? [],
  };
}

let done = 0;
afterAll(() => console.info(`${done} of ${COUNT} generated projects converged on the lab (seeds from ${SEED})`));

it.each(Array.from({ length: COUNT }, (_, at) => SEED + at))(
  "a generated project converges, is healed and is removed in one run each (seed %i)",
  async (seed) => {
    await converges(await site(), seed);
    done++;
  },
  300_000,
);

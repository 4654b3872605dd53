import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { VOLUME_NAMES } from "../convergence/draw-servers.js";
import { edgeDocument, FIREWALLS, firewallXml, IGNORED } from "../convergence/firewalls.js";
import { converges, type Site } from "../convergence/property.js";
import type { Entries } from "../convergence/spelling.js";
import { onEachCloud } from "../harness/clouds.js";
import { CONFIGURATION, document, Repository } from "../harness/repository.js";
import type { Rig } from "../harness/rig.js";

const SEED = Number(process.env.PLUMBLINE_SEED ?? 2);
const COUNT = Number(process.env.PLUMBLINE_CONVERGENCE_COUNT ?? 1);
/** Removals and downtime are wanted here. */
const VOLUMES = VOLUME_NAMES.map((name) => `data=/openstack/volumes/entry[@name='${name}']`);
const ALLOWED = ["deletes=100%", "updates=100%", "empty-list=50", "down", ...VOLUMES].flatMap((value) => ["--allow", value]);

function siteOn(rig: Rig): Site {
  const repository = Repository.create(rig, {});
  const firewall = (name: string, entries: Entries) => writeFileSync(join(repository.folder, `${name}.xml`), firewallXml(entries));
  repository.write({ ".gitignore": IGNORED, "plumbline.yaml": `${CONFIGURATION.replace("[cloud]", "[cloud, edge]")}${FIREWALLS}` });
  firewall("edge", {});
  const run = async (codes: readonly number[], ...words: readonly string[]) => {
    const done = await repository.plumbline(...words);
    expect(codes, done.err + done.out).toContain(done.code);
    return done.out;
  };
  const report = async (command: string) => JSON.parse(await run([0, 2], command, "cloud", "--format", "json")).targets[0];
  return {
    user: rig.user,
    admin: rig.admin,
    declare: (spelling) => {
      firewall("office", spelling.live);
      repository.write({ "cloud/main.yaml": document(stringify(spelling.config)), "edge/main.yaml": edgeDocument(spelling) });
    },
    reconcile: async () => void (await run([0], "reconcile", ...ALLOWED)),
    plan: async () => {
      const { plan } = await report("plan");
      return plan.changes.map(({ kind, xpath }: { kind: string; xpath: string }) => `${kind} ${xpath}`);
    },
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    drift: async () => (await report("drift")).drift.items.map(({ xpath }: { xpath: string }) => xpath),
  };
}

onEachCloud("a generated project", (open) => {
  let done = 0;
  afterAll(() => console.info(`${done} of ${COUNT} generated projects converged (seeds from ${SEED})`));

  it.each(Array.from({ length: COUNT }, (_, at) => SEED + at))(
    "converges, is healed and is removed in one run each (seed %i)",
    async (seed) => {
      await converges(siteOn(await open()), seed);
      done++;
    },
    900_000,
  );
});

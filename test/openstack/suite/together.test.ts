import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { networkNamed, subnetNamed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const COUNT = 12;
const names = Array.from({ length: COUNT }, (_, at) => `n${at}`);
const declared = (more: (at: number) => string = () => "") =>
  `networks:\n${names.map((name, at) => `  ${name}: { subnets: { ${name}-a: { cidr: 10.8.${at}.0/24${more(at)} } } }`).join("\n")}\n`;

onEachCloud("new objects of one list", (open) => {
  it("are created together, each with its mark, and are in sync from then on", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(declared()) });
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    for (const [at, name] of names.entries()) {
      const network = await networkNamed(rig.user, name);
      expect(network).toMatchObject({ tags: expect.arrayContaining(["plumbline:owner=conformance", `plumbline:key=${name}`]) });
      expect(await subnetNamed(rig.user, `${name}-a`)).toMatchObject({ network_id: network.id, cidr: `10.8.${at}.0/24` });
    }
    for (const again of [await repository.plumbline("plan"), await repository.freshClone("second").plumbline("plan")])
      expect(again, again.err + again.out).toMatchObject({ code: 0 });
  });

  it("of which the service refuses one are the others, and the refusal names it", async () => {
    const rig = await open();
    // One port of a bulk request has an address outside its subnet, so the service creates none of them.
    const wrong = declared((at) => (at === 5 ? ", allocation_pools: [{ start: 10.9.0.5, end: 10.9.0.9 }]" : ""));
    const repository = Repository.create(rig, { "cloud/main.yaml": document(wrong) });
    const done = await repository.plumbline("reconcile");
    expect(done.code, done.err + done.out).toBe(4);
    expect(done.err + done.out).toContain(
      "1 of the changes failed, 23 were applied: /openstack/networks/entry[@name='n5']/subnets/entry[@name='n5-a']",
    );
    const subnets = await rig.user.list("network", "/v2.0/subnets", "subnets");
    const ours = subnets.filter(({ tags }) => tags.includes("plumbline:owner=conformance")).map(({ name }) => name);
    expect(ours.sort()).toEqual(
      names
        .filter((name) => name !== "n5")
        .map((name) => `${name}-a`)
        .sort(),
    );
    repository.declare(declared());
    const mended = await repository.plumbline("reconcile");
    expect(mended, mended.err + mended.out).toMatchObject({ code: 0 });
  });
});

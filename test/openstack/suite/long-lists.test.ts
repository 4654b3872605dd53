import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { ownNetworks } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const NAMES = ["a", "b", "c", "d", "e"];
const networks = (names: readonly string[]) =>
  `networks:\n${names.map((name, at) => `  ${name}: { subnets: { ${name}-1: { cidr: 10.${at}.1.0/24 }, ${name}-2: { cidr: 10.${at}.2.0/24 } } }`).join("\n")}`;

onEachCloud("a cloud with pages of 2", (open) => {
  it("is read completely: nothing is created twice, and nothing looks deleted", async () => {
    const rig = await open();
    await rig.set({ pageMaximum: 2 });
    const repository = Repository.create(rig, { "cloud/main.yaml": document(networks(NAMES)) });
    const first = await repository.plumbline("reconcile");
    expect(first, first.err + first.out).toMatchObject({ code: 0 });
    expect(await ownNetworks(rig.user)).toEqual(NAMES);
    const second = await repository.plumbline("plan");
    expect(second, second.out + second.err).toMatchObject({ code: 0 });
    repository.declare(networks(NAMES.slice(1)).replaceAll(/10\.(\d)\./g, (_, at) => `10.${Number(at) + 1}.`));
    const pruned = await repository.plumbline("reconcile");
    expect(pruned, pruned.err + pruned.out).toMatchObject({ code: 0 });
    expect(await ownNetworks(rig.user)).toEqual(NAMES.slice(1));
  });
});

onEachCloud("tokens that expire during a run", (open) => {
  it("are renewed, and nothing is done twice", async () => {
    const rig = await open();
    await rig.set({ tokenLifetime: 6, buildTime: 8 });
    const repository = Repository.create(rig, {
      "cloud/main.yaml": document(
        `${networks(NAMES)}\nservers:\n  s: { image: cirros, flavor: m1.tiny, networks: [{ network: a }] }\n  t: { image: cirros, flavor: m1.tiny, networks: [{ network: b }] }`,
      ),
    });
    const before = performance.now();
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    expect(performance.now() - before, "a run this short needs one token only").toBeGreaterThan(6_000);
    expect(await ownNetworks(rig.user)).toEqual(NAMES);
    expect((await rig.user.list("compute", "/servers", "servers")).map(({ name }) => name).sort()).toEqual(["s", "t"]);
    const again = await repository.plumbline("plan");
    expect(again, again.out + again.err).toMatchObject({ code: 0 });
  });
});

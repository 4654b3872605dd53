import { describe, expect, it } from "vitest";
import type { PlumblineErrors } from "../../../../src/core/errors.js";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";
import type { TargetOutcome } from "../../../../src/outcome/outcome.js";
import { renderJson } from "../../../../src/report/json.js";
import { CloudWorld } from "../cloud-world.js";

const KEYS = ["role:db", "0day", "cost center", "-x", ".hidden", "2020-01-01", "null", "name", "1.0", ":", "a:b:c"];

const changed = (outcome: TargetOutcome) => (outcome.plan?.changes ?? []).map(({ kind, path }) => `${kind} ${path}`);

function document(metadata: Readonly<Record<string, string>>): string {
  return `
networks: { n: { subnets: { s: { cidr: 10.9.1.0/24 } } } }
servers: { web: { image: cirros, flavor: m1.tiny, networks: [{ network: n }], metadata: ${JSON.stringify(metadata)} } }
volumes: { data: { size: 1, metadata: ${JSON.stringify(metadata)} } }`;
}

const metadataOf = ({ lab }: CloudWorld) => {
  const { world } = lab;
  const project = world.as("demo").projectId;
  const own = (metadata: object) => Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith("plumbline")));
  return [...world.compute.servers(project), ...world.volumes.volumes(project)].map(({ metadata }) => own(metadata));
};

describe("metadata keys", () => {
  it("are written, compared, changed and deleted with every accepted character", async () => {
    const first = Object.fromEntries(KEYS.map((key) => [key, `v ${key}`]));
    const world = (await CloudWorld.start()).want(document(first));
    await world.reconciled();
    expect(metadataOf(world)).toEqual([first, first]);
    expect(changed(await world.plan())).toEqual([]);
    const second = Object.fromEntries(KEYS.slice(1).map((key) => [key, "changed"]));
    world.want(document(second));
    const planned = await world.plan();
    expect(changed(planned)).toHaveLength(2 * KEYS.length);
    expect(() => renderJson("plan", [planned])).not.toThrow();
    for (const { path } of planned.plan?.changes ?? []) expect(parsePath(path.toString()).equals(path)).toBe(true);
    await world.reconciled();
    expect(metadataOf(world)).toEqual([second, second]);
    expect(changed(await world.plan())).toEqual([]);
  });

  it.each(["ключ", "a/b", "a=b", "entry", "x".repeat(256)])("that the services refuse are an error in documents: %s", async (key) => {
    const world = (await CloudWorld.start()).want(document({ [key]: "v" }));
    const errors = await world.plan().then(
      () => [],
      ({ errors }: PlumblineErrors) => errors.map(({ code }) => code),
    );
    expect(errors).toEqual(["value-type", "value-type"]);
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { child } from "../../../src/lab/panos/state/system-facts.js";
import { namesIn, SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { ManagedWorld } from "./managed-world.js";

/** `a` before `b`; the documents have a probe, which fails once `failing` has the tag. */
export async function watchedWorld(tag: string, failing: "a" | "b"): Promise<ManagedWorld> {
  const world = await ManagedWorld.start(`{ timeout: 5, rollout: { canary: ["${SERIALS.a}"] } }`);
  wantWatched(world, tag);
  world.network = {
    tcp: async () => {
      if (tagsOf(world, failing).includes(tag)) throw new Error("no way through");
    },
    http: async () => 200,
    dns: async () => [],
  };
  return world;
}

/** Documents with these tags, and the probe. */
export function wantWatched({ folder }: ManagedWorld, ...tags: readonly string[]): void {
  const rows = tags.map((tag) => `${tag}: { comments: ours }`);
  const probe = "probe: [{ tcp: { host: app, port: 443 }, attempts: 1 }]";
  const text = `target: manager\nscope: device-group/offices\n${probe}\nconfig: { tag: { ${rows.join(", ")} } }\n`;
  writeFileSync(join(folder, "manager/all.yaml"), text);
}

/** Tags that a firewall received, without those of `before`. */
export function tagsOf(world: ManagedWorld, name: string): readonly (string | undefined)[] {
  return namesIn(child(world.device(name).attachment?.handed.policies.get("vsys1")?.tree, "tag"));
}

/** Real pushes of Plumbline, without validations. */
export const sent = (world: ManagedWorld): string[] => world.pushes.filter((text) => text.startsWith("push"));

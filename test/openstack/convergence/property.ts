import { expect } from "vitest";
import { Draw } from "../differential/draw.js";
import type { Session } from "../harness/session.js";
import { drawProject } from "./draw-project.js";
import { changeLive } from "./drift.js";
import { liveState, stateChanges } from "./live-state.js";
import { type Spelling, spell } from "./spelling.js";
import { removeSome } from "./subset.js";
import type { Project } from "./values.js";

/** A repository whose documents describe one project of a cloud, and the runs on it. `$forEach` selects from `edge` and `office`. */
export interface Site {
  /** The user of the project, by plain HTTP. */
  readonly user: Session;
  readonly admin: Session;
  declare(spelling: Spelling): void;
  /** Runs once, with deletions and downtime allowed. Fails unless everything is done. */
  reconcile(): Promise<void>;
  /** Returns the changes that a plan has. */
  plan(): Promise<readonly string[]>;
  /** Returns the XPaths that a drift report has. */
  drift(): Promise<readonly string[]>;
  /** Lets the services work for some time. */
  pause(milliseconds: number): Promise<void>;
}

const EMPTY: Project = new Map([["networks", new Map([["last", {}]])]]);

/**
 * Declares a generated project, respells it, changes it through the API, removes a part of it and then everything. One run must suffice
 * each time.
 */
export async function converges(site: Site, seed: number): Promise<void> {
  const draw = new Draw(seed * 7919);
  const project = drawProject(draw, await surroundings(site));
  site.declare(spell(project, draw));
  await reconcileOnce(site);
  const respelled = spell(project, draw);
  site.declare(respelled);
  expect(await site.plan(), JSON.stringify(respelled, undefined, 1)).toEqual([]);

  const before = await liveState(site.user);
  const changes = await changeLive(project, site, draw, 1 + draw.below(5));
  const drift = await site.drift();
  expect(new Set(drift).size, drift.join("\n")).toBe(drift.length);
  expect([...new Set(drift.map(objectOf))].sort(), JSON.stringify(changes)).toEqual(changes.map(({ object }) => object).sort());
  await reconcileOnce(site);
  const changed = stateChanges(before, await liveState(site.user));
  expect(changed, changed.join("\n")).toEqual([]);

  site.declare(spell(removeSome(project, draw, 30), draw));
  await reconcileOnce(site);
  site.declare(spell(EMPTY, draw));
  await reconcileOnce(site);
  await removeSnapshot(site);
  expect(Object.keys(await liveState(site.user))).toEqual(["networks/last"]);
}

async function reconcileOnce(site: Site): Promise<void> {
  await site.reconcile();
  expect(await site.plan()).toEqual([]);
}

/** Returns the list and the name of the object that an XPath is in: `networks/web`. */
function objectOf(xpath: string): string {
  const found = [...xpath.matchAll(/\/([a-z_]+)\/entry\[@name='([^']*)'\]/g)];
  const [, list, name] = found.find(([, tag]) => tag === "subnets") ?? found[0] ?? [];
  return `${list}/${name}`;
}

const UNMANAGED = "unmanaged";
const SNAPSHOT = "kept";

/** Creates a volume that no document declares, and a snapshot of it. */
async function makeSnapshot({ user, pause }: Site): Promise<void> {
  const { volume } = await user.demand("volumev3", "POST", "/volumes", { volume: { name: UNMANAGED, size: 1 } });
  const isAvailable = async (path: string, kind: string) => (await user.demand("volumev3", "GET", path))[kind].status === "available";
  while (!(await isAvailable(`/volumes/${volume.id}`, "volume"))) await pause(500);
  const { snapshot } = await user.demand("volumev3", "POST", "/snapshots", { snapshot: { name: SNAPSHOT, volume_id: volume.id } });
  while (!(await isAvailable(`/snapshots/${snapshot.id}`, "snapshot"))) await pause(500);
}

/** Removes them. A volume that a run left is kept, so that the last comparison reports it. */
async function removeSnapshot({ user, pause }: Site): Promise<void> {
  for (const [list, name] of [
    ["snapshots", SNAPSHOT],
    ["volumes", UNMANAGED],
  ] as const) {
    const found = () => user.named("volumev3", `/${list}`, list, name);
    const { id } = await found();
    await user.demand("volumev3", "DELETE", `/${list}/${id}`);
    while ((await found()) !== undefined) await pause(500);
  }
}

async function surroundings(site: Site) {
  const { user, admin } = site;
  await makeSnapshot(site);
  const { projects } = await admin.demand("identity", "GET", "/projects?name=demo");
  await user.demand("network", "POST", "/v2.0/address-groups", { address_group: { name: "office", addresses: ["192.0.2.0/24"] } });
  return { otherProject: projects[0].id, addressGroups: ["office"], snapshots: [SNAPSHOT] };
}

import { PlumblineError } from "../../core/errors.js";
import { textAt } from "../../core/json/value.js";
import { childByTag, find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { NetworksView } from "../../engine/networks-view.js";
import type { Access, Hiding, Ids, Images, Known, Opened, Quota, ReadTarget, Uses } from "../../engine/target.js";
import { type Attribution, lastChangeOfObject } from "../../plan/diff/change.js";
import type { Capabilities, Identity } from "../../plan/platform.js";
import { OpenstackClient } from "../openstack-client/client/client.js";
import type { OpenstackTargetConfiguration } from "../openstack-client/configuration.js";
import type { OpenstackDependencies, OpenstackOptions } from "../openstack-client/dependencies.js";
import { readNetworksView } from "./networks-view.js";
import type { ListName } from "./objects/kinds.js";
import { hiddenByIds } from "./read/hidden-by-id.js";
import { hiddenObjects } from "./read/hidden-objects.js";
import { idAt } from "./read/ids.js";
import { doerOf } from "./read/instance-actions.js";
import { Inventory } from "./read/inventory.js";
import { shortages } from "./read/quota.js";
import { listsOf, readTree } from "./read/read-tree.js";
import { usersAt } from "./read/users.js";
import { openstackShape, ROOT_PATH } from "./shape.js";

/** Capabilities of a cloud: single requests that take effect immediately, without a candidate or locks. */
const openstackCapabilities: Capabilities = {
  candidate: false,
  atomicBatch: false,
  move: false,
  rename: true,
  renameKeepsReferences: "yes",
  locks: false,
  changeList: false,
  partialCommit: false,
  partialRevert: false,
  validate: false,
  independentObjects: true,
  completeObjectWrites: true,
  // Fifty objects take less than the timeout of one request, even at 0.2 seconds each. Ports are excluded: if several are refused together,
  // the service keeps the addresses that it had allocated (docs/contributing/devices/openstack.md#network).
  madeTogether: { lists: ["networks", "subnets", "security_groups"], most: 50 },
  maxRequestBytes: 1_000_000,
  maxBatchOperations: 1,
  maxPendingChanges: undefined,
};

/** Reads one project of a cloud. Never changes it. */
export class OpenstackReader implements ReadTarget {
  readonly kind = "openstack";
  readonly name: string;
  readonly shape = openstackShape();
  readonly hiding: Hiding = {
    hidden: async (entries) => (this.inventory === undefined ? [] : await hiddenObjects(entries, this.inventory, this.client)),
  };
  readonly ids: Ids = {
    idOf: (path) => (this.inventory === undefined ? undefined : idAt(path, this.inventory)),
    prefer: (known) => {
      this.known = known;
    },
    unanswered: () => [...this.unanswered],
    wasStored: (path) => [...this.stored].some((entry) => path.toString() === entry || path.toString().startsWith(`${entry}/`)),
    hidden: async (missed) => (this.inventory === undefined ? [] : await hiddenByIds(missed, this.inventory, this.client)),
    access: () => this.#access(),
  };
  readonly uses: Uses = { usersOf: (entry) => (this.inventory === undefined ? [] : usersAt(entry, this.inventory)) };
  readonly room: Quota = {
    shortOf: async (changes) => (this.inventory === undefined ? [] : await shortages(changes, this.inventory, this.client)),
  };
  readonly images: Images = { checksum: (name) => this.#imageChecksum(name) };
  protected readonly client: OpenstackClient;
  protected readonly dependencies: OpenstackDependencies;
  /** The tree of the last read. */
  protected tree: TreeNode | undefined;
  protected inventory: Inventory | undefined;
  protected known: Known | undefined;
  /** Writers only: ids of unmarkable objects that this run created or took over. */
  protected readonly own = new Set<string>();
  /** Writers only: entries whose last reply showed all written values. */
  protected readonly stored = new Set<string>();
  /** Writers only: entries whose create got no reply. */
  protected readonly unanswered = new Set<string>();

  constructor(configuration: OpenstackTargetConfiguration, dependencies: OpenstackDependencies, options: OpenstackOptions = {}) {
    this.name = configuration.name;
    this.dependencies = dependencies;
    this.client = new OpenstackClient(configuration, dependencies, options);
  }

  /** The project is the identity of the target, so that another project never receives its changes. */
  async open(): Promise<Opened> {
    const { project } = await this.client.session();
    const identity: Identity = { serial: project?.id, model: undefined, version: undefined, hostname: project?.name, role: "standalone" };
    const devices = project === undefined ? [] : [`project ${project.id} at ${await this.client.place()}`];
    return { identity, devices, capabilities: openstackCapabilities };
  }

  /**
   * Reads the complete lists of `subtrees`. Both views are the live state, because there is no candidate. If the cloud has no volume
   * service, there are no volumes; a request for volumes fails.
   */
  async read(subtrees: readonly Path[]): Promise<TreeNode> {
    this.inventory = new Inventory(this.client, this.known, this.own);
    const lists = listsOf(subtrees);
    if (lists.includes("volumes") && lists.length < this.shape.knownTags.length) await this.client.demand("volume");
    this.tree = await readTree(lists, this.inventory, this.client);
    if (lists.length < this.shape.knownTags.length) refuseAbsent(lists, this.inventory, this.name);
    return this.tree;
  }

  async #access(): Promise<Access | undefined> {
    const { project, roles } = await this.client.session();
    return project === undefined ? undefined : { project: project.id, roles: [...roles].sort() };
  }

  /** Returns the MD5 of an image by name, from the image service. Undefined if there is none, or if there are several different ones. */
  async #imageChecksum(name: string): Promise<string | undefined> {
    const images = await this.client.list({ service: "image", path: ["images"], collection: "images", query: [["name", name]] });
    const checksums = new Set(images.map((image) => textAt(image, "checksum")));
    return checksums.size === 1 ? [...checksums][0] : undefined;
  }

  /** Used by the audit. An administrator sees the networks of every project. */
  async networksView(): Promise<NetworksView> {
    return await readNetworksView(this.client);
  }

  /** A cloud records when an object was last changed. Only for servers it also records the user, even after their deletion. */
  async attribution(path: Path, _node?: TreeNode, id?: string): Promise<Attribution | undefined> {
    const entry = path.steps()[2];
    const server = entry === undefined || this.inventory === undefined ? undefined : (idAt(entry, this.inventory) ?? id);
    const doer = server === undefined ? undefined : await doerOf(path, server, this.client);
    if (doer !== undefined) return doer;
    for (let at: Path | undefined = path; at !== undefined && this.tree !== undefined; at = at.parent) {
      const entry = at.name === undefined ? undefined : find(this.tree, at);
      const time = entry === undefined ? undefined : (childByTag(entry, "updated_at") ?? childByTag(entry, "updated"))?.text;
      if (time !== undefined) return lastChangeOfObject(time);
    }
    return undefined;
  }

  async status(): Promise<ReadonlyMap<string, string>> {
    const { project, user, roles } = await this.client.session();
    return new Map([
      ["project", project?.name ?? ""],
      ["project_id", project?.id ?? ""],
      ["user", user?.name ?? ""],
      ["roles", roles.join(", ")],
    ]);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** @throws PlumblineError `cloud-extension-missing` if the service lacks a declared list */
function refuseAbsent(lists: readonly ListName[], inventory: Inventory, target: string): void {
  const list = lists.find((each) => inventory.isAbsent(each) && openstackShape().child(each).readOnly !== true);
  if (list === undefined) return;
  throw new PlumblineError("cloud-extension-missing", `the network service of this cloud has no ${list}`, {
    where: { target, xpath: ROOT_PATH.child(list).toString() },
    next: `Remove ${list} from the documents of this target, or ask the cloud's operator for the extension.`,
  });
}

/** Opens a reader for `plan`, `drift`, `status` and `explain`. It connects on the first request. */
export function openOpenstackReader(
  configuration: OpenstackTargetConfiguration,
  dependencies: OpenstackDependencies,
  options: OpenstackOptions = {},
): OpenstackReader {
  return new OpenstackReader(configuration, dependencies, options);
}

import { PlumblineError } from "../../core/errors.js";
import { objectAt, textAt } from "../../core/json/value.js";
import { copySubtrees } from "../../core/tree/copy-subtrees.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { HiddenNetworks, NetworksView } from "../../engine/networks-view.js";
import type { HiddenObject, Hiding, Ids, Opened, ReadTarget } from "../../engine/target.js";
import type { HttpDependencies } from "../../http/dependencies.js";
import { type Attribution, lastChangeOfObject } from "../../plan/diff/change.js";
import type { Capabilities, Identity } from "../../plan/platform.js";
import { ContrailClient } from "./client/client.js";
import type { ContrailConnection } from "./client/connection.js";
import { listAll } from "./client/lists.js";
import { findId, readLinks, readObject, readWithRelatives } from "./client/objects.js";
import { refusalError } from "./client/refusal.js";
import type { ContrailType } from "./client/types.js";
import { type WatchEvent, watch } from "./client/watch.js";
import { COLLECTIONS, nameParts, objectShape, ROOT, typeOf } from "./collections.js";
import { readNetworksView } from "./networks-view.js";
import { decodeObject } from "./object-tree.js";
import { KnownObjects } from "./read/known-objects.js";
import { relativesWanted, type Wanted, wantedLists } from "./read/subtrees.js";
import { contrailShape } from "./shape.js";

/** Name or uuid of an object that no list contains. */
type Called = { readonly name: readonly string[] } | { readonly uuid: string };

/** Objects that each controller creates when it is installed, with a random uuid. Every role can read the domain. */
const FIRST_OBJECTS = [
  { type: "domain", name: ["default-domain"] },
  { type: "global-system-config", name: ["default-global-system-config"] },
];

const CAPABILITIES: Capabilities = {
  candidate: false,
  atomicBatch: false,
  move: true,
  rename: false,
  locks: false,
  changeList: false,
  partialCommit: false,
  partialRevert: false,
  validate: false,
  independentObjects: true,
  completeObjectWrites: true,
  // The controller accepts 1,024,000 bytes. JSON with its `null`s is longer than its source.
  maxRequestBytes: 500_000,
  maxBatchOperations: 1_000,
  maxPendingChanges: undefined,
};

/** Types that documents can declare. Events of other types are not needed. */
const WATCHED: readonly ContrailType[] = COLLECTIONS.map(typeOf).filter((type) => type !== "project");

/** Reads a network controller with one list request per type and page, regardless of the number of objects. */
export class ContrailReader implements ReadTarget {
  readonly kind = "contrail";
  readonly name: string;
  readonly shape: Shape = contrailShape();
  /** Used by the audit. */
  readonly hiddenNetworks: HiddenNetworks = { reasons: (ids) => this.#hiddenNetworks(ids) };
  readonly hiding: Hiding = { hidden: (entries) => this.#hidden(entries) };
  readonly ids: Ids = { idOf: (path) => this.#idOf(path) };
  protected readonly client: ContrailClient;
  /** Objects of the last read. */
  protected readonly known = new KnownObjects();

  constructor(connection: ContrailConnection, dependencies: HttpDependencies) {
    this.name = connection.name;
    this.client = new ContrailClient(connection, dependencies);
  }

  async open(): Promise<Opened> {
    const links = await readLinks(this.client);
    if (!links.has("virtual-network")) {
      const { origin, target } = this.client.place;
      throw new PlumblineError("controller-reply-unexpected", `${origin} is no configuration interface of a controller`, {
        where: { target },
        next: "Check the url of the target: the interface listens on port 8082.",
      });
    }
    const identity: Identity = { serial: undefined, model: undefined, version: undefined, hostname: undefined, role: "standalone" };
    return { identity, devices: await controllerIds(this.client), capabilities: CAPABILITIES };
  }

  async read(subtrees: readonly Path[]): Promise<TreeNode> {
    const wanted = wantedLists(subtrees);
    const relatives = relativesWanted(subtrees);
    const lists = await Promise.all(wanted.map((each) => this.#list(each, relatives)));
    const order = new Map(this.shape.knownTags.map((tag, index) => [tag, index]));
    lists.sort((a, b) => (order.get(a.tag) ?? 0) - (order.get(b.tag) ?? 0));
    const root = new TreeNode(ROOT, undefined, "", lists);
    return subtrees.every(({ depth }) => depth <= 2) ? root : copySubtrees(root, subtrees);
  }

  async #list({ collection, parents }: Wanted, relatives: ReadonlySet<string>): Promise<TreeNode> {
    const type = typeOf(collection);
    const shape = objectShape(collection);
    const pages = await Promise.all((parents ?? [undefined]).map((parent) => listAll(this.client, type, { parent })));
    this.known.clear(collection);
    const entries: TreeNode[] = [];
    for (const document of pages.flat()) {
      this.known.add(collection, document);
      const entry = decodeObject(document, shape);
      entries.push(relatives.has(entry.name ?? "") ? await this.#withRelatives(type, entry, shape) : entry);
    }
    return new TreeNode(collection, undefined, "", entries);
  }

  async #withRelatives(type: ContrailType, entry: TreeNode, shape: Shape): Promise<TreeNode> {
    const uuid = entry.children.find(({ tag }) => tag === "uuid")?.text ?? "";
    const result = await readWithRelatives(this.client, type, uuid);
    return result.kind === "found" ? decodeObject(result.object.document, shape) : entry;
  }

  /** The controller distinguishes hidden (403) and deleted (404) objects only if it is queried for the object itself. */
  async #hidden(entries: readonly Path[]): Promise<readonly HiddenObject[]> {
    const found = await Promise.all(entries.map(async (path) => ({ path, reason: await this.#reasonHidden(path) })));
    return found.flatMap(({ path, reason }) => (reason === undefined ? [] : [{ path, reason }]));
  }

  #idOf(path: Path): string | undefined {
    const [, list, entry, ...inner] = path.steps();
    if (list === undefined || entry?.name === undefined || inner.length > 0) return undefined;
    const document = this.known.get(list.tag, entry.name);
    return document === undefined ? undefined : textAt(document, "uuid");
  }

  async #reasonHidden(path: Path): Promise<string | undefined> {
    const [, list, entry, ...inner] = path.steps();
    if (list === undefined || entry?.name === undefined || inner.length > 0) return undefined;
    return await reasonHidden(this.client, typeOf(list.tag), { name: nameParts(entry.name) });
  }

  async #hiddenNetworks(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await Promise.all(ids.map(async (id) => [id, await reasonHidden(this.client, "virtual-network", { uuid: id })] as const));
    return new Map(found.flatMap(([id, reason]) => (reason === undefined ? [] : [[id, reason] as const])));
  }

  /** Returns all networks, and the table that the network service uses to find subnets. Used by the audit. */
  async networksView(): Promise<NetworksView> {
    return await readNetworksView(this.client);
  }

  /** The controller records when an object changed, but not who did. Its creator is the author only until the first change. */
  async attribution(path: Path): Promise<Attribution | undefined> {
    const [, list, entry] = path.steps();
    const document = list === undefined || entry?.name === undefined ? undefined : this.known.get(list.tag, entry.name);
    const perms = document === undefined ? undefined : objectAt(document, "id_perms");
    if (perms === undefined) return undefined;
    const time = textAt(perms, "last_modified");
    const creator = time === textAt(perms, "created") ? textAt(perms, "creator") : undefined;
    if (creator !== undefined) return { admin: creator, time };
    return time === undefined ? undefined : lastChangeOfObject(time);
  }

  async status(): Promise<ReadonlyMap<string, string>> {
    const links = await readLinks(this.client);
    return new Map([
      ["url", this.client.connection.url],
      ["authentication", this.client.connection.auth.kind],
      ["watch", links.has("watch") ? "yes" : "no"],
    ]);
  }

  /** Yields changes until `signal` is aborted. Undefined if the controller does not support it. */
  async watch(signal: AbortSignal): Promise<AsyncIterable<WatchEvent> | undefined> {
    return await watch(this.client, WATCHED, signal);
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

/** Returns names that only this controller has. Empty if the account may read none of its first objects. */
async function controllerIds(client: ContrailClient): Promise<readonly string[]> {
  const ids = await Promise.all(
    FIRST_OBJECTS.map(async ({ type, name }) => {
      const id = await findId(client, type, name);
      return id.kind === "found" ? [`${type} ${id.uuid}`] : [];
    }),
  );
  return ids.flat();
}

/** Returns the reason why an object exists although no list contains it. Undefined if the object does not exist. */
async function reasonHidden(client: ContrailClient, type: ContrailType, called: Called): Promise<string | undefined> {
  const uuid = "uuid" in called ? { uuid: called.uuid } : await uuidOf(client, type, called.name);
  if (uuid === undefined) return undefined;
  if ("reason" in uuid) return uuid.reason;
  const result = await readObject(client, type, uuid.uuid);
  if (result.kind === "absent") return undefined;
  return result.kind === "hidden" ? result.refusal.words : "the controller has it, and its list did not show it";
}

async function uuidOf(client: ContrailClient, type: ContrailType, name: readonly string[]) {
  const id = await findId(client, type, name);
  if (id.kind === "found") return { uuid: id.uuid };
  if (id.kind === "absent") return undefined;
  if (id.refusal.reason === "permission") return { reason: id.refusal.words };
  throw refusalError(id.refusal, `to look for ${name.join(":")}`, client.place);
}

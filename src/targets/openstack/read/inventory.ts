import { PlumblineError } from "../../../core/errors.js";
import { groupBy } from "../../../core/group-by.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { Known } from "../../../engine/target.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import { isNotFound, OpenstackError } from "../../openstack-client/client/openstack-error.js";
import type { ListRequest } from "../../openstack-client/client/pages.js";
import { kindOf } from "../objects/all.js";
import type { ListName, ObjectKind } from "../objects/kinds.js";
import { metadataBirth, networkBirth, OWNER_METADATA } from "../owner-marks.js";
import { ROOT_PATH } from "../shape.js";
import { type Called, callObjects } from "./naming.js";

/** Objects of one read: complete lists, each requested once, and the names of their entries. */
export class Inventory {
  readonly #client: OpenstackClient;
  readonly #known: Known | undefined;
  readonly #own: Set<string>;
  readonly #pending = new Map<ListName, Promise<void>>();
  readonly #objects = new Map<ListName, Map<string, JsonObject>>();
  readonly #absent = new Set<ListName>();
  readonly #called = new Map<ListName, Map<string, Called>>();
  readonly #ids = new Map<ListName, Map<string, readonly string[]>>();
  readonly #groups = new Map<string, Map<string, Map<string, JsonObject>>>();

  /** `own` contains the ids of unmarkable objects that this run created or took over. The inventory adds to it. */
  constructor(client: OpenstackClient, known?: Known, own: Set<string> = new Set()) {
    this.#client = client;
    this.#known = known;
    this.#own = own;
  }

  /** Reads lists that were not read yet, in parallel. If one fails, all fail. */
  async load(lists: Iterable<ListName>): Promise<void> {
    await Promise.all([...new Set(lists)].map((list) => this.#load(list)));
  }

  /** Whether the service lacks the list, for example because its extension is not loaded. */
  isAbsent(list: ListName): boolean {
    return this.#absent.has(list);
  }

  has(list: ListName): boolean {
    return this.#objects.has(list);
  }

  /** Returns the objects of a loaded list in the service's order. */
  objects(list: ListName): Iterable<JsonObject> {
    return this.#of(list).values();
  }

  object(list: ListName, id: string): JsonObject | undefined {
    return this.#of(list).get(id);
  }

  /** Returns the objects whose member `member` is `value`. */
  where(list: ListName, member: string, value: string): readonly JsonObject[] {
    const name = `${list} ${member}`;
    let groups = this.#groups.get(name);
    if (groups === undefined) {
      const { idOf } = kindOf(list);
      const gathered = groupBy(this.objects(list), (object) => textAt(object, member) ?? "");
      groups = new Map([...gathered].map(([key, objects]) => [key, new Map(objects.map((object) => [idOf(object), object]))]));
      this.#groups.set(name, groups);
    }
    return [...(groups.get(value)?.values() ?? [])];
  }

  /** Returns the name of an object's entry. */
  called(list: ListName, id: string): Called {
    return this.#names(list).get(id) ?? { name: id, shared: undefined, twin: undefined, isHalfMade: false };
  }

  #names(list: ListName): Map<string, Called> {
    let names = this.#called.get(list);
    if (names === undefined) {
      names = callAll(kindOf(list), this.objects(list), this.#known?.ids);
      this.#called.set(list, names);
    }
    return names;
  }

  /**
   * Returns the name that references use: the entry's name, with the network in front if several subnets share it. The id if the object
   * cannot be read.
   */
  keyOf(list: ListName, id: string): string {
    const { name } = this.called(list, id);
    if (list !== "subnets" || (this.idsOf(list, name).length < 2 && this.object(list, id) !== undefined)) return name;
    const network = textAt(this.object(list, id) ?? {}, "network_id");
    return network === undefined ? id : `${this.called("networks", network).name}/${name}`;
  }

  /** Returns the ids of the objects with the entry name `key`. */
  idsOf(list: ListName, key: string): readonly string[] {
    return this.#idsByName(list).get(key) ?? [];
  }

  #idsByName(list: ListName): Map<string, readonly string[]> {
    let ids = this.#ids.get(list);
    if (ids === undefined) {
      const shown = [...this.#of(list)].filter(([, object]) => this.#isInProject(list, object));
      ids = new Map<string, readonly string[]>(
        groupBy(
          shown.map(([id]) => id),
          (id) => this.called(list, id).name,
        ),
      );
      this.#ids.set(list, ids);
    }
    return ids;
  }

  /**
   * Stores a created or changed object. Existing names stay: the plan uses the names from its read, and a new mark must not rename other
   * entries.
   */
  put(list: ListName, shown: JsonObject): void {
    const kind = kindOf(list);
    const objects = this.#of(list);
    const id = kind.idOf(shown);
    const before = objects.get(id);
    const owner = (this.#own.has(id) ? this.#known?.owner : before?.[OWNER_METADATA]) ?? null;
    const object = kind.isMarkless === true ? { ...shown, [OWNER_METADATA]: owner } : shown;
    if (before === undefined) this.#addName(list, id, baseName(kind, object));
    objects.set(id, object);
    this.#regroup(list, id, before, object);
  }

  /** Adds an object that its list omitted. Call it before objects are named. */
  async include(list: ListName, object: JsonObject): Promise<void> {
    const { project } = await this.#client.session();
    if (!isOfProject(list, object, project?.id)) return;
    this.#of(list).set(kindOf(list).idOf(object), object);
    this.#called.delete(list);
    this.#ids.delete(list);
    this.#groups.clear();
  }

  /** Records an unmarkable object as managed by this run. */
  own(list: ListName, object: JsonObject): void {
    this.#own.add(kindOf(list).idOf(object));
    this.put(list, object);
  }

  /** Renames the entry of an object, because the plan continues with the new name. */
  rename(list: ListName, id: string, name: string): void {
    this.#dropName(list, id);
    this.#addName(list, id, name);
  }

  /** Removes a deleted object. */
  remove(list: ListName, id: string): void {
    this.#dropName(list, id);
    const before = this.#of(list).get(id);
    this.#of(list).delete(id);
    this.#regroup(list, id, before, undefined);
  }

  /** Administrators also see subnets of other projects' networks. */
  #isInProject(list: ListName, object: JsonObject): boolean {
    if (list !== "subnets") return true;
    return this.object("networks", textAt(object, "network_id") ?? "") !== undefined;
  }

  #addName(list: ListName, id: string, name: string): void {
    const ids = this.#idsByName(list);
    this.#names(list).set(id, { name, shared: undefined, twin: undefined, isHalfMade: false });
    ids.set(name, [...(ids.get(name) ?? []), id]);
  }

  #dropName(list: ListName, id: string): void {
    const ids = this.#idsByName(list);
    const { name } = this.called(list, id);
    this.#names(list).delete(id);
    const others = (ids.get(name) ?? []).filter((other) => other !== id);
    if (others.length === 0) ids.delete(name);
    else ids.set(name, others);
  }

  /** Updates the groups of `where` for one object that was added, changed or removed. */
  #regroup(list: ListName, id: string, before: JsonObject | undefined, after: JsonObject | undefined): void {
    for (const [name, groups] of this.#groups) {
      const [of, member = ""] = name.split(" ");
      if (of !== list) continue;
      const [from, to] = [before, after].map((object) => (object === undefined ? undefined : (textAt(object, member) ?? "")));
      if (from !== undefined && from !== to) groups.get(from)?.delete(id);
      if (to === undefined || after === undefined) continue;
      const group = groups.get(to);
      if (group === undefined) groups.set(to, new Map([[id, after]]));
      else group.set(id, after);
    }
  }

  #of(list: ListName): Map<string, JsonObject> {
    const objects = this.#objects.get(list);
    if (objects === undefined) throw new Error(`the list ${list} was not read`);
    return objects;
  }

  #load(list: ListName): Promise<void> {
    const known = this.#pending.get(list);
    if (known !== undefined) return known;
    const pending = this.#read(list);
    this.#pending.set(list, pending);
    return pending;
  }

  async #read(list: ListName): Promise<void> {
    const { request, idOf, wrapper, alsoNeeds, completed, isOptional, isMarkless } = kindOf(list);
    const items = request === undefined ? await this.#projects() : await this.#list(list, request, isOptional === true);
    const found = wrapper === undefined ? items : items.map((item) => objectAt(item, wrapper) ?? item);
    const { project, user } = await this.#client.session();
    const inProject = found.filter((object) => isOfProject(list, object, project?.id));
    const marked = isMarkless === true ? this.#marked(list, inProject, user?.id) : inProject;
    const own = completed === undefined ? marked : await Promise.all(marked.map((object) => completed(object, this.#client)));
    if (alsoNeeds !== undefined) await this.load(own.flatMap((object) => alsoNeeds(object)));
    this.#objects.set(list, new Map(own.map((object) => [idOf(object), object])));
  }

  /**
   * Marks objects that the ledger contains by id. It also marks objects of this account whose name the ledger announced: an interrupted run
   * may not have recorded their id.
   */
  #marked(list: ListName, objects: readonly JsonObject[], user: string | undefined): JsonObject[] {
    const { idOf, nameOf } = kindOf(list);
    const { owner, ids, announced } = this.#known ?? { owner: undefined, ids: this.#own, announced: this.#own };
    const isMarked = (object: JsonObject): boolean => {
      if (ids.has(idOf(object)) || this.#own.has(idOf(object))) return true;
      const path = ROOT_PATH.child(list).entry(nameOf(object)).toString();
      return announced.has(path) && user !== undefined && textAt(object, "user_id") === user;
    };
    return objects.map((object) => (owner !== undefined && isMarked(object) ? { ...object, [OWNER_METADATA]: owner } : object));
  }

  async #list(list: ListName, request: ListRequest, isOptional: boolean): Promise<JsonObject[]> {
    try {
      return await this.#client.list(request);
    } catch (error) {
      const isAbsent = request.service === "volume" && error instanceof PlumblineError && error.code === "service-not-in-catalog";
      // If the role may not list shares, everything else is still read.
      const isHidden = list === "rbac_policies" && error instanceof OpenstackError && error.refusal === "forbidden";
      if (!isAbsent && !isHidden && !(isOptional && isNotFound(error))) throw error;
      this.#absent.add(list);
      return [];
    }
  }

  async #projects(): Promise<JsonObject[]> {
    const projects = await this.#client.projects();
    return projects.map(({ id, name, description, enabled }) => ({ id, name, description, enabled }));
  }
}

/** Returns the entry name of an object with a unique name. */
function baseName(kind: ObjectKind, object: JsonObject): string {
  return (kind.markOf(object)?.key ?? kind.nameOf(object)) || kind.idOf(object);
}

function callAll(kind: ObjectKind, objects: Iterable<JsonObject>, preferred: ReadonlySet<string> | undefined): Map<string, Called> {
  const birthOf = kind.list === "servers" || kind.list === "volumes" ? metadataBirth : networkBirth;
  const named = (object: JsonObject) => ({
    id: kind.idOf(object),
    name: kind.nameOf(object),
    mark: kind.markOf(object),
    birth: birthOf(object),
  });
  if (kind.list !== "subnets") return callObjects([...objects].map(named), preferred);
  // Names of subnets only need to be unique in their network.
  const networks = groupBy(objects, (subnet) => textAt(subnet, "network_id") ?? "");
  return new Map([...networks.values()].flatMap((subnets) => [...callObjects(subnets.map(named), preferred)]));
}

/** Administrators see the objects of all projects. Those of other projects only count if they are shared with this one. */
function isOfProject(list: ListName, object: JsonObject, project: string | undefined): boolean {
  const owner = textAt(object, "project_id") ?? textAt(object, "tenant_id");
  if (project === undefined || owner === undefined || owner === project) return true;
  if (list === "networks" || list === "subnetpools" || list === "security_groups")
    return object.shared === true || object["router:external"] === true;
  return list === "subnets" || list === "address_groups" || list === "rbac_policies";
}

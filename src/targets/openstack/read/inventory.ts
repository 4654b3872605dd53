import { PlumblineError } from "../../../core/errors.js";
import { groupBy } from "../../../core/group-by.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { Known } from "../../../engine/target.js";
import type { OpenstackClient } from "../client/client.js";
import { isNotFound, OpenstackError } from "../client/openstack-error.js";
import type { ListRequest } from "../client/pages.js";
import { kindOf } from "../objects/all.js";
import type { ListName, ObjectKind } from "../objects/kinds.js";
import { metadataBirth, networkBirth, OWNER_METADATA } from "../owner-marks.js";
import { ROOT_PATH } from "../shape.js";
import { type Called, callObjects } from "./naming.js";

/** What one reading found: whole lists, each asked for once, and what their objects are called. */
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

  /** `own`: ids of what this run made or took over where the service keeps no mark; it is added to. */
  constructor(client: OpenstackClient, known?: Known, own: Set<string> = new Set()) {
    this.#client = client;
    this.#known = known;
    this.#own = own;
  }

  /** Reads lists that were not read yet, at the same time. A list that fails fails all. */
  async load(lists: Iterable<ListName>): Promise<void> {
    await Promise.all([...new Set(lists)].map((list) => this.#load(list)));
  }

  /** Whether the service has no such list: it has not, or not loaded, the extension that the list is of. */
  isAbsent(list: ListName): boolean {
    return this.#absent.has(list);
  }

  has(list: ListName): boolean {
    return this.#objects.has(list);
  }

  /** Objects of a list that was loaded, in the order of the service. */
  objects(list: ListName): Iterable<JsonObject> {
    return this.#of(list).values();
  }

  object(list: ListName, id: string): JsonObject | undefined {
    return this.#of(list).get(id);
  }

  /** Objects whose member `member` is `value`. */
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

  /** What the entry of an object is called in its list. */
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

  /** What others call an object by: its name, with the network's before it where subnets of two share it; the id of what cannot be read. */
  keyOf(list: ListName, id: string): string {
    const { name } = this.called(list, id);
    if (list !== "subnets" || (this.idsOf(list, name).length < 2 && this.object(list, id) !== undefined)) return name;
    const network = textAt(this.object(list, id) ?? {}, "network_id");
    return network === undefined ? id : `${this.called("networks", network).name}/${name}`;
  }

  /** Ids of the objects that are called `key`. */
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
   * An object that was made or changed since. What is called by a name stays called so: a plan names objects as they were
   * read, and one that gets a mark must not give its neighbours other names.
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

  /** What has no mark is ours from now on. */
  own(list: ListName, object: JsonObject): void {
    this.#own.add(kindOf(list).idOf(object));
    this.put(list, object);
  }

  /** An object that we gave another name: the plan goes on by that. */
  rename(list: ListName, id: string, name: string): void {
    this.#dropName(list, id);
    this.#addName(list, id, name);
  }

  /** An object that is gone. */
  remove(list: ListName, id: string): void {
    this.#dropName(list, id);
    const before = this.#of(list).get(id);
    this.#of(list).delete(id);
    this.#regroup(list, id, before, undefined);
  }

  /** An administrator sees the subnets of networks of all projects. */
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

  /** Keeps what `where` has gathered true to one object that was put, changed or taken away. */
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
   * Those that the ledger has by their ids; and what our own account made under a name that the ledger only announced, where a run was
   * killed before it could note the id.
   */
  #marked(list: ListName, objects: readonly JsonObject[], user: string | undefined): JsonObject[] {
    const { idOf, nameOf } = kindOf(list);
    const { owner, ids, announced } = this.#known ?? { owner: undefined, ids: this.#own, announced: this.#own };
    const isOurs = (object: JsonObject): boolean => {
      if (ids.has(idOf(object)) || this.#own.has(idOf(object))) return true;
      const path = ROOT_PATH.child(list).entry(nameOf(object)).toString();
      return announced.has(path) && user !== undefined && textAt(object, "user_id") === user;
    };
    return objects.map((object) => (owner !== undefined && isOurs(object) ? { ...object, [OWNER_METADATA]: owner } : object));
  }

  async #list(list: ListName, request: ListRequest, isOptional: boolean): Promise<JsonObject[]> {
    try {
      return await this.#client.list(request);
    } catch (error) {
      const isAbsent = request.service === "volume" && error instanceof PlumblineError && error.code === "service-not-in-catalog";
      // Where a role may not even list shares, everything else is read all the same.
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

/** What an object is called where it shares its name with no other. */
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
  // Names of subnets need to differ within their network only.
  const networks = groupBy(objects, (subnet) => textAt(subnet, "network_id") ?? "");
  return new Map([...networks.values()].flatMap((subnets) => [...callObjects(subnets.map(named), preferred)]));
}

/** An administrator is shown the objects of every project: those of others count only where they are open to this one. */
function isOfProject(list: ListName, object: JsonObject, project: string | undefined): boolean {
  const owner = textAt(object, "project_id") ?? textAt(object, "tenant_id");
  if (project === undefined || owner === undefined || owner === project) return true;
  if (list === "networks" || list === "subnetpools" || list === "security_groups")
    return object.shared === true || object["router:external"] === true;
  return list === "subnets" || list === "address_groups" || list === "rbac_policies";
}

import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { isNotFound, isOutcomeUnknown, OpenstackError } from "../../openstack-client/client/openstack-error.js";
import type { OpenstackRequest } from "../../openstack-client/client/request.js";
import { birthDescription, markInTags, markTags, networkMark, type OwnerMark, otherTags } from "../owner-marks.js";
import type { WriteContext } from "../write/context.js";
import { createAll, createOnce } from "../write/create.js";
import { isSent, jsonOf, type Members, membersOf, textOf, textsOf } from "../write/encode.js";
import { settleAll } from "../write/settle-all.js";
import { kindOf } from "./all.js";
import type { ListName } from "./kinds.js";
import type { Change, NewObject, ObjectWriter } from "./writers.js";

/** Specifics of one list of the network service. */
export interface NetworkParts {
  readonly list: ListName;
  /** Member that contains an object in a body. */
  readonly singular: string;
  /** Whether the service has no names for these objects. */
  readonly isNameless?: boolean;
  /** Children of the entry that are not sent under their own name. */
  readonly own: readonly string[];
  /** Builds the members for those children. `tags` are the children that differ; undefined for a create. */
  members?(entry: TreeNode, path: Path, context: WriteContext, tags: ReadonlySet<string> | undefined): Promise<Members>;
  /** Members that every update repeats from the live object, because the service would otherwise compute them again. */
  again?(object: JsonObject): Members;
  /**
   * Adds parts that need separate requests, before the members of an update are sent or after a create. Returns false if there is nothing
   * to do.
   */
  addParts?(parts: Parts): Promise<boolean>;
  /** Removes such parts, after the members of an update were sent. */
  removeParts?(parts: Parts): Promise<void>;
  /** Members that require the parts. After a create they are sent separately. */
  readonly late?: readonly string[];
  /** Removes dependent objects before a deletion. */
  clear?(object: JsonObject, context: WriteContext): Promise<void>;
  /** Reads the additional data of the children `of` again. */
  readonly refresh?: { readonly of: readonly string[]; read(id: string, context: WriteContext): Promise<void> };
}

export interface Parts {
  readonly id: string;
  readonly object: JsonObject;
  readonly path: Path;
  readonly before: TreeNode | undefined;
  readonly after: TreeNode;
  readonly context: WriteContext;
}

/** An object to create. */
interface Birth extends NewObject {
  readonly mark: OwnerMark;
  readonly tags: readonly string[];
  readonly name: string;
  readonly body: Members;
  /** Members to send after the parts exist. */
  readonly rest: Members;
  find(objects: readonly JsonObject[]): JsonObject | undefined;
}

/** Maximum number of concurrent requests after a create. */
const MOST_AT_ONCE = 5;

const NOTHING: ReadonlySet<string> = new Set();

/** Children of every entry that are not plain members. */
const COMMON = ["name", "owner", "description", "tags"];

/**
 * Creates a writer for objects of the network service. If the service accepts tags in a create, objects are created with tags and
 * description. Otherwise they are created with the mark as description, then tagged, then described (`owner-marks.ts`).
 */
export function networkWriter(parts: NetworkParts): ObjectWriter {
  return new NetworkWriter(parts);
}

class NetworkWriter implements ObjectWriter {
  readonly #parts: NetworkParts;
  readonly #collection: string;
  readonly #skip: ReadonlySet<string>;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
    this.#collection = parts.list.replaceAll("_", "-");
    this.#skip = new Set([...COMMON, ...parts.own]);
  }

  async create(entry: TreeNode, path: Path, context: WriteContext): Promise<void> {
    const birth = await this.#birth({ entry, path }, context);
    const { object } = await createOnce(
      context,
      path,
      () => this.#post(birth.body, context),
      async () => birth.find(await this.#list(birth.name, context)),
    );
    await this.#finish(birth, object, context);
  }

  async createTogether(news: readonly NewObject[], context: WriteContext): Promise<readonly (Error | undefined)[]> {
    const births = await settleAll(1, news, (one) => this.#birth(one, context));
    const sound = births.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const post = () => this.#postAll(sound, context);
    const look = () => this.#list(undefined, context);
    const { objects, failure } = sound.length < 2 ? { objects: new Map() } : await createAll(context, sound, post, look);
    // From now on the objects are known by id, even if the requests below fail.
    for (const object of objects.values()) context.inventory.put(this.#parts.list, object);
    const finished = await settleAll(MOST_AT_ONCE, sound, async (birth) => {
      const object = objects.get(birth);
      if (object !== undefined) await this.#finish(birth, object, context);
    });
    const missing = sound.filter((birth) => !objects.has(birth));
    const alone = await settleAll(1, missing, async (birth) => {
      if (failure !== undefined) throw failure(birth);
      await this.create(birth.entry, birth.path, context);
    });
    const ends = new Map([...sound.entries()].map(([at, birth]) => [birth, finished[at]]));
    for (const [at, birth] of missing.entries()) ends.set(birth, alone[at]);
    return births.map((each) => errorOf(each.status === "fulfilled" ? ends.get(each.value) : each));
  }

  async #birth({ entry, path }: NewObject, context: WriteContext): Promise<Birth> {
    const { list, members, late = [], isNameless } = this.#parts;
    const mark = markFor(entry, path, context);
    const name = textOf(entry, "name") ?? mark.key;
    const fields = { ...membersOf(entry, kindOf(list).entry, this.#skip), ...(await members?.(entry, path, context, undefined)) };
    const isLate = ([key]: readonly [string, unknown]) => late.includes(key);
    const first: Members = Object.fromEntries(Object.entries(fields).filter((each) => !isLate(each)));
    const network = textAt(first as JsonObject, "network_id");
    const createsTags = await context.tagsAtCreate.get();
    const description = createsTags ? textOf(entry, "description") : birthDescription(mark);
    const tags = tagsFor(entry, mark);
    return {
      ...{ entry, path, mark, name, tags },
      body: {
        ...(isNameless === true ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(createsTags ? { tags } : {}),
        ...first,
      },
      rest: Object.fromEntries(Object.entries(fields).filter(isLate)),
      find: (objects) =>
        objects.find(
          (object) => sameMark(networkMark(object), mark) && (network === undefined || textAt(object, "network_id") === network),
        ),
    };
  }

  /** Sends the requests that follow a create. */
  async #finish({ entry, path, mark, tags, rest }: Birth, object: JsonObject, context: WriteContext): Promise<void> {
    const { list, addParts } = this.#parts;
    const id = kindOf(list).idOf(object);
    // From now on the object is known by id, even if the requests below fail or a list omits it.
    context.inventory.put(list, object);
    if (!sameMark(markInTags(object), mark)) {
      await this.#putTags(id, tags, context);
      context.inventory.put(list, { ...object, tags: [...tags] });
      await this.#put(id, { description: textOf(entry, "description") ?? "" }, undefined, context);
    }
    await addParts?.({ id, object, path, before: undefined, after: entry, context });
    if (Object.keys(rest).length > 0) await this.#put(id, rest, undefined, context);
  }

  async update({ path, id, object, before, after, tags }: Change, context: WriteContext): Promise<void> {
    const { list, members, addParts, removeParts, again, isNameless } = this.#parts;
    const current = await this.#mark(id, object, path, after, context);
    const hasNewParts = (await addParts?.({ id, object: current, path, before, after, context })) === true;
    const { entry } = kindOf(list);
    const changed: Record<string, Members[string]> = {};
    for (const child of after.children.concat(before.children)) {
      const shape = entry.child(child.tag);
      if (!tags.has(child.tag) || this.#skip.has(child.tag) || !isSent(shape)) continue;
      changed[child.tag] = jsonOf(
        after.children.find(({ tag }) => tag === child.tag),
        shape,
      );
    }
    if (tags.has("name") && isNameless !== true) changed.name = textOf(after, "name") ?? path.name ?? "";
    if (tags.has("description")) changed.description = textOf(after, "description") ?? "";
    const body = { ...changed, ...(await members?.(after, path, context, tags)) };
    const isEmpty = Object.keys(body).length === 0;
    const latest = hasNewParts && !isEmpty ? await this.fresh(id, context, NOTHING) : current;
    const revision = latest?.revision_number;
    // For the service, a gateway is a separate change: it refuses one at the revision that it reports.
    const isConditional = typeof revision === "number" && !("external_gateway_info" in body);
    const completeBody = latest === undefined ? body : { ...again?.(latest), ...body };
    if (!isEmpty) await this.#put(id, completeBody, isConditional ? revision : undefined, context);
    await removeParts?.({ id, object: current, path, before, after, context });
  }

  async remove(object: JsonObject, _path: Path, context: WriteContext): Promise<void> {
    const { list, clear } = this.#parts;
    const id = kindOf(list).idOf(object);
    await clear?.(object, context);
    let latest: JsonObject | undefined = clear === undefined ? object : await this.fresh(id, context, NOTHING);
    for (let attempt = 1; latest !== undefined; attempt++) {
      try {
        await this.#delete(id, latest, context);
        break;
      } catch (error) {
        if (isNotFound(error)) break;
        const isRaced = error instanceof OpenstackError && error.refusal === "changed" && attempt === 1;
        if (!isRaced && !isOutcomeUnknown(error)) throw error;
        const now = await this.fresh(id, context, NOTHING);
        if (now !== undefined && (!isRaced || !sameMark(networkMark(now), networkMark(object)))) throw error;
        latest = now;
      }
    }
    context.inventory.remove(list, id);
  }

  async fresh(id: string, context: WriteContext, tags?: ReadonlySet<string>): Promise<JsonObject | undefined> {
    const { list, refresh, singular } = this.#parts;
    try {
      const { body } = await context.client.request(this.#request("GET", [id]));
      const object = objectAt(body, singular);
      if (object !== undefined) context.inventory.put(list, object);
      if (refresh?.of.some((tag) => tags?.has(tag) !== false) === true) await refresh.read(id, context);
      return object;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      context.inventory.remove(list, id);
      return undefined;
    }
  }

  /** Sets the tags first: until then, the mark may only be in the description, which the update overwrites. */
  async #mark(id: string, object: JsonObject, path: Path, after: TreeNode, context: WriteContext): Promise<JsonObject> {
    const owner = textOf(after, "owner");
    const marks = owner === undefined ? [] : markTags({ owner, key: path.name ?? "" });
    const others = after.children.some(({ tag }) => tag === "tags") ? textsOf(after, "tags") : otherTags(object);
    const held = markInTags(object);
    const isMarked = owner === undefined || sameMark(held, { owner, key: path.name ?? "" });
    const had = new Set(otherTags(object));
    if (isMarked && others.length === had.size && others.every((tag) => had.has(tag))) return object;
    const kept = owner === undefined && held !== undefined ? markTags(held) : marks;
    await this.#putTags(id, [...kept, ...others], context);
    return (await this.fresh(id, context, NOTHING)) ?? object;
  }

  async #post(body: Members, context: WriteContext) {
    const { singular } = this.#parts;
    const reply = await context.client.request({ ...this.#request("POST", []), body: { [singular]: body } });
    const object = objectAt(reply.body, singular);
    if (object === undefined) throw missingInReply(context, `POST ${this.#collection}`);
    return { object, reply };
  }

  async #postAll(births: readonly Birth[], context: WriteContext): Promise<readonly JsonObject[]> {
    const { list } = this.#parts;
    const reply = await context.client.request({ ...this.#request("POST", []), body: { [list]: births.map(({ body }) => body) } });
    return objectsAt(reply.body as JsonObject, list);
  }

  async #list(name: string | undefined, context: WriteContext): Promise<JsonObject[]> {
    const { list, isNameless } = this.#parts;
    const query = isNameless === true || name === undefined ? [] : [["name", name] as const];
    return await context.client.list({ service: "network", path: [this.#collection], collection: list, query });
  }

  async #put(id: string, body: Members, ifRevision: number | undefined, context: WriteContext): Promise<void> {
    const { list, singular } = this.#parts;
    const { body: reply } = await context.client.request({ ...this.#request("PUT", [id]), ifRevision, body: { [singular]: body } });
    const object = objectAt(reply, singular);
    if (object !== undefined) context.inventory.put(list, object);
  }

  async #putTags(id: string, tags: readonly string[], context: WriteContext): Promise<void> {
    await context.client.request({ ...this.#request("PUT", [id, "tags"]), body: { tags: [...new Set(tags)] } });
  }

  async #delete(id: string, { revision_number: revision }: JsonObject, { client }: WriteContext): Promise<void> {
    await client.request({ ...this.#request("DELETE", [id]), ifRevision: typeof revision === "number" ? revision : undefined });
  }

  #request(method: OpenstackRequest["method"], below: readonly string[]): OpenstackRequest {
    return { service: "network", method, path: [this.#collection, ...below] };
  }
}

function tagsFor(entry: TreeNode, mark: OwnerMark): readonly string[] {
  return [...new Set([...markTags(mark), ...textsOf(entry, "tags")])];
}

/** Returns the mark of a new object. With `$partial`, a missing object is not created. */
export function markFor(entry: TreeNode, path: Path, { client }: WriteContext): OwnerMark {
  const owner = textOf(entry, "owner");
  if (owner !== undefined) return { owner, key: path.name ?? "" };
  throw new PlumblineError(
    "cloud-partial-missing",
    `"${path.name}" does not exist, and $partial only manages a part of an existing object`,
    {
      where: { target: client.target, xpath: path.toString() },
      next: "Remove $partial to create it, or correct the name.",
    },
  );
}

function errorOf(end: PromiseSettledResult<unknown> | undefined): Error | undefined {
  if (end?.status !== "rejected") return undefined;
  return end.reason instanceof Error ? end.reason : new Error(String(end.reason));
}

export function sameMark(one: OwnerMark | undefined, other: OwnerMark | undefined): boolean {
  return one?.owner === other?.owner && one?.key === other?.key;
}

export function missingInReply({ client }: WriteContext, request: string): PlumblineError {
  return new PlumblineError("reply-not-json", `the reply to ${request} does not contain the created object`, {
    where: { target: client.target },
    next: "Look for a proxy that answers in place of the service, then run again.",
  });
}

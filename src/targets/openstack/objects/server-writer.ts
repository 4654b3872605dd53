import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import { SecretValue } from "../../../core/secret.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { secretOf } from "../../../core/tree/secret-of.js";
import type { Progress } from "../../../engine/write-target.js";
import { isNotFound, isOutcomeUnknown } from "../../openstack-client/client/openstack-error.js";
import type { Body } from "../../openstack-client/client/request.js";
import { imageMark, KEY_METADATA, markedImage, metadataMark, OWNER_METADATA, type OwnerMark } from "../owner-marks.js";
import { withFailedRebuild } from "../read/instance-actions.js";
import type { WriteContext } from "../write/context.js";
import { createOnce } from "../write/create.js";
import { type Members, rowsOf, textOf, textsOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { saveSecret } from "../write/save-secret.js";
import { declaredMetadata, marksOf, newMarks, putMetadata } from "./metadata.js";
import { markFor, missingInReply, sameMark } from "./network-writer.js";
import { SERVER_MICROVERSION } from "./server.js";
import { changeGroups, changeInterfaces, ownPorts, securePorts } from "./server-interfaces-writer.js";
import { type Rest, switchPower, untilSwitched } from "./server-power.js";
import { rebuild } from "./server-rebuild.js";
import { resize } from "./server-resize.js";
import { attachedTo } from "./server-volumes.js";
import { blockDevices, changeVolumes, keepVolumes } from "./server-volumes-writer.js";
import { untilNextLook } from "./volume-ready.js";
import type { Change, ObjectWriter } from "./writers.js";

/** Hints that refer to servers. */
const HOST_HINTS = ["same_host", "different_host"];

/** Maximum time to delete a server, in milliseconds. */
const LONGEST_DELETE = 5 * 60_000;

/** Microversions from which create and update accept a description, a server accepts tags, and a create accepts tags. */
const DESCRIBED = "2.19";
const TAGGED = "2.26";
const TAGGED_AT_BIRTH = "2.52";

export const serverObjects: ObjectWriter = {
  async create(entry, path, context) {
    const mark = markFor(entry, path, context);
    const server = await createBody(entry, mark, path, context);
    const microversion = server.tags !== undefined ? TAGGED_AT_BIRTH : server.description !== undefined ? DESCRIBED : undefined;
    const hints = await hintsOf(entry, path, context);
    const create = async () => {
      const body = { server, ...hints };
      const request = { service: "compute", method: "POST", path: ["servers"], body, microversion } as const;
      const reply = await context.client.request(request);
      const object = objectAt(reply.body, "server");
      if (object === undefined) throw missingInReply(context, "POST servers");
      return { object, reply };
    };
    const { object, reply } = await createOnce(context, path, create, () => findMarked(mark, context));
    const id = textAt(object, "id") ?? "";
    context.building.set(id, path);
    if (textOf(entry, "power") === "off") context.postponed.set(path, (progress) => stopOnceBuilt(id, path, progress, context));
    context.inventory.put("servers", { name: mark.key, ...object, metadata: { [OWNER_METADATA]: mark.owner, [KEY_METADATA]: mark.key } });
    const saveTo = textOf(entry, "saveTo");
    if (saveTo !== undefined) await saveAdminPass(reply?.secrets.get("adminPass"), saveTo, path, context);
  },

  async update(change, context) {
    const { path, id, object, before, after, tags } = change;
    await putWords(id, after, path, tags, context);
    const marks = { ...newMarks(change, context), ...takenImage(change) };
    const power = tags.has("power") ? textOf(after, "power") : undefined;
    const late: Rest[] = [];
    const isBusy = tags.has("resizing") || tags.has("rebuilding");
    const joined = tags.has("networks") && !isBusy ? await changeInterfaces(change, context) : undefined;
    if (joined !== undefined && (tags.has("flavor") || tags.has("image"))) await joined(() => undefined);
    const seen = tags.has("volumes") ? await changeVolumes(change, context) : undefined;
    // Until a resize has ended, the service refuses the following changes.
    const inTurn = async (step: () => Promise<void>) => (late.length === 0 ? await step() : void late.push(step));
    if (tags.has("flavor") || tags.has("resizing")) late.push(await resize(object, textOf(after, "flavor") ?? "", path, context));
    if (tags.has("image") || tags.has("rebuilding")) {
      const image = textOf(after, "image");
      const begun = late.length === 0 && seen === undefined ? await rebuild(object, image, path, context) : undefined;
      late.push(async (progress) => {
        await seen?.(progress);
        await (begun ?? (await rebuild((await serverObjects.fresh(id, context)) ?? object, image, path, context)))(progress);
      });
    }
    if (tags.has("networks") && isBusy)
      late.push(async (progress) => {
        await serverObjects.fresh(id, context, tags);
        await (await changeInterfaces(change, context))(progress);
      });
    if (tags.has("port_security_enabled")) await inTurn(() => securePorts(id, context));
    if (tags.has("security_groups") || tags.has("port_security_enabled")) await inTurn(() => changeGroups(id, after, path, context));
    if (tags.has("metadata") || tags.has("owner") || Object.keys(marks).length > 0)
      await inTurn(() => putMetadata({ service: "compute", path: ["servers", id] }, change, marks, context));
    if (tags.has("tags")) await inTurn(() => putTags(id, textsOf(before, "tags"), textsOf(after, "tags"), context));
    if (power === "on" || power === "off")
      late.push(
        late.length === 0
          ? await switchPower(object, power, path, context)
          : (progress) => untilSwitched({ id, wanted: power, path, context }, false, progress),
      );
    late.push(...[seen, joined].filter((rest) => rest !== undefined));
    if (late.length > 0)
      context.postponed.set(path, async (progress) => {
        for (const step of late) await step(progress);
      });
  },

  async remove(server, path, context) {
    const id = textAt(server, "id") ?? "";
    await keepVolumes(server, context);
    try {
      await context.client.request({ service: "compute", method: "DELETE", path: ["servers", id] });
    } catch (error) {
      if (!isNotFound(error) && !isOutcomeUnknown(error)) throw error;
    }
    await untilDeleted(id, server.status === "ERROR", path, context);
    context.building.delete(id);
    context.inventory.remove("servers", id);
  },

  async fresh(id, context, tags) {
    const { client, inventory } = context;
    try {
      const { body } = await client.request({ service: "compute", method: "GET", path: ["servers", id], preferred: SERVER_MICROVERSION });
      const shown = objectAt(body, "server");
      const server = shown === undefined ? undefined : await withFailedRebuild(shown, client);
      if (server !== undefined && attachedTo(server).length > 0) await inventory.load(["volumes"]);
      if (server !== undefined) inventory.put("servers", server);
      if (server !== undefined && (tags?.has("networks") || tags?.has("security_groups") || tags?.has("port_security_enabled")))
        await ownPorts(id, context);
      return server;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      inventory.remove("servers", id);
      return undefined;
    }
  },
};

/** Returns the image metadata for a server without it: one that is adopted, or that an earlier version of Plumbline created. */
function takenImage({ object, after, tags }: Change): Record<string, string> {
  const isManaged = textOf(after, "owner") !== undefined;
  if (!isManaged || tags.has("image") || tags.has("rebuilding") || markedImage(object) !== undefined) return {};
  return imageMark(textAt(objectAt(object, "image") ?? {}, "id"), textOf(after, "image"));
}

/** Builds the create request. It only contains keys with values, and networks by `uuid` (docs/contributing/devices/openstack.md#compute). */
async function createBody(entry: TreeNode, mark: OwnerMark, path: Path, context: WriteContext): Promise<Members> {
  const [image, flavor] = [textOf(entry, "image"), textOf(entry, "flavor")];
  if (flavor === undefined)
    throw new PlumblineError("cloud-incomplete-object", `"${path.name}" cannot be created: a server needs its flavor`, {
      where: { target: context.client.target, xpath: path.toString() },
      next: "Add flavor: to the entry in the desired state.",
    });
  const userData = childByTag(entry, "user_data");
  const networks = await networksOf(entry, path, context);
  const groups = textsOf(entry, "security_groups");
  const drive = textOf(entry, "config_drive");
  const password = childByTag(entry, "adminPass");
  const tags = textsOf(entry, "tags");
  // The microversion with tags requires `networks` in a create.
  const unsaid = tags.length === 0 ? undefined : "none";
  const imageRef = image === undefined ? undefined : await idOf(context, "images", image, path.child("image"));
  return {
    name: textOf(entry, "name") ?? mark.key,
    imageRef,
    block_device_mapping_v2: await blockDevices(entry, imageRef, path, context),
    flavorRef: await idOf(context, "flavors", flavor, path.child("flavor")),
    min_count: 1,
    max_count: 1,
    key_name: textOf(entry, "key_name"),
    networks: networks.length === 0 ? unsaid : networks,
    security_groups: groups.length === 0 ? undefined : await Promise.all(groups.map((key) => groupNamed(key, path, context))),
    availability_zone: textOf(entry, "availability_zone"),
    config_drive: drive === undefined ? undefined : drive === "true",
    user_data: userData === undefined ? undefined : base64(userData),
    adminPass: password === undefined ? undefined : (secretOf(password) ?? password.text),
    metadata: { ...declaredMetadata(entry), ...marksOf(mark, context), ...imageMark(imageRef, image) },
    description: textOf(entry, "description"),
    tags: tags.length === 0 ? undefined : tags,
  };
}

async function networksOf(entry: TreeNode, path: Path, context: WriteContext): Promise<Body[]> {
  return await Promise.all(
    rowsOf(entry, "networks").map(async (row): Promise<Body> => {
      const at = path.child("networks").entry(row.name ?? "");
      const port = textOf(row, "port");
      if (port !== undefined) return { port: await idOf(context, "ports", port, at.child("port")) };
      const network = textOf(row, "network") ?? "";
      return { uuid: await idOf(context, "networks", network, at.child("network")), fixed_ip: textOf(row, "fixed_ip") };
    }),
  );
}

/** The service accepts a name, which may be ambiguous, or an id. */
async function groupNamed(key: string, path: Path, context: WriteContext): Promise<Body> {
  const id = await idOf(context, "security_groups", key, path.child("security_groups").member(key));
  const name = textAt(context.inventory.object("security_groups", id) ?? {}, "name") ?? id;
  const alike = [...context.inventory.objects("security_groups")].filter((group) => group.name === name);
  return { name: alike.length > 1 ? id : name };
}

function base64(userData: TreeNode): Body {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const secret = secretOf(userData);
  return secret === undefined ? encode(userData.text) : new SecretValue(encode(secret.reveal()), secret.label);
}

/** Stops a new server after its build. A failed build is reported elsewhere. */
async function stopOnceBuilt(id: string, path: Path, progress: Progress, context: WriteContext): Promise<void> {
  const server = await serverObjects.fresh(id, context);
  if (server?.status === "ACTIVE") await untilSwitched({ id, wanted: "off", path, context }, false, progress);
}

/** Updates name and description. */
async function putWords(id: string, after: TreeNode, path: Path, tags: ReadonlySet<string>, { client }: WriteContext): Promise<void> {
  const isDescribed = tags.has("description");
  const server = {
    name: tags.has("name") ? (textOf(after, "name") ?? path.name ?? "") : undefined,
    description: isDescribed ? (textOf(after, "description") ?? null) : undefined,
  };
  if (server.name === undefined && !isDescribed) return;
  const microversion = isDescribed ? DESCRIBED : undefined;
  await client.request({ service: "compute", method: "PUT", path: ["servers", id], body: { server }, microversion });
}

/** Changes tags one by one, so that tags which other users add in the meantime are kept. The mark is in the metadata, not in a tag. */
async function putTags(id: string, before: readonly string[], after: readonly string[], { client }: WriteContext): Promise<void> {
  const request = (tag: string) => ({ service: "compute", path: ["servers", id, "tags", tag], microversion: TAGGED }) as const;
  for (const tag of before.filter((each) => !after.includes(each)))
    await client.request({ ...request(tag), method: "DELETE" }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  for (const tag of after.filter((each) => !before.includes(each))) await client.request({ ...request(tag), method: "PUT" });
}

async function findMarked(mark: OwnerMark, { client }: WriteContext): Promise<JsonObject | undefined> {
  const found = await client.list({ service: "compute", path: ["servers", "detail"], collection: "servers" });
  return found.find((server) => sameMark(metadataMark(server), mark));
}

/** The password is only in the reply to the create. If the reply was lost, the server is kept and the loss is reported. */
async function saveAdminPass(secret: SecretValue | undefined, saveTo: string, path: Path, context: WriteContext): Promise<void> {
  if (secret !== undefined) {
    await saveSecret(secret, saveTo, path, context);
    return;
  }
  context.late.push(
    new PlumblineError("cloud-secret-lost", `"${path.name}" was created, and the reply with its adminPass was lost`, {
      where: { target: context.client.target, xpath: path.toString() },
      next: "Set a password on the server, or delete it so that the next run creates another.",
    }),
  );
}

/**
 * Waits until the server is deleted. A server that was in ERROR before stays so until the end; an ERROR during the deletion is a failure.
 */
async function untilDeleted(id: string, hadFailed: boolean, path: Path, context: WriteContext): Promise<void> {
  const { clock } = context.dependencies;
  const until = clock.now() + LONGEST_DELETE;
  for (;;) {
    const server = await serverObjects.fresh(id, context);
    if (server === undefined) return;
    if ((server.status === "ERROR" && !hadFailed) || clock.now() >= until)
      throw new PlumblineError("server-not-deleted", `"${path.name}" is still there (${statusOf(server)}) after it was deleted`, {
        where: { target: context.client.target, xpath: path.toString() },
        next: "Check the server's fault and its host, then run again.",
      });
    await clock.sleep(untilNextLook(clock.now() - until + LONGEST_DELETE));
  }
}

/** Returns status and fault of a server. */
function statusOf(server: JsonObject): string {
  const fault = textAt(objectAt(server, "fault") ?? {}, "message");
  return `${textAt(server, "status") ?? "no status"}${fault === undefined ? "" : `: ${fault}`}`;
}

/** Returns the scheduler hints of a create. Empty without declared hints. */
async function hintsOf(entry: TreeNode, path: Path, context: WriteContext): Promise<Members> {
  const declared = childByTag(entry, "scheduler_hints");
  const hints: Record<string, Body> = {};
  for (const { tag, text } of declared?.children ?? []) if (!HOST_HINTS.includes(tag)) hints[tag] = text;
  for (const tag of HOST_HINTS) {
    const at = path.child("scheduler_hints").child(tag);
    const keys = textsOf(declared, tag);
    if (keys.length > 0) hints[tag] = await Promise.all(keys.map((key) => idOf(context, "servers", key, at.member(key))));
  }
  const group = textOf(entry, "server_group");
  if (group !== undefined) hints.group = await idOf(context, "server_groups", group, path.child("server_group"));
  return Object.keys(hints).length === 0 ? {} : { "os:scheduler_hints": hints };
}

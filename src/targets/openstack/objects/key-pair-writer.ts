import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { isNotFound, isOutcomeUnknown, OpenstackError } from "../../openstack-client/client/openstack-error.js";
import { keyPairMark, markedPublicKey, type OwnerMark, withoutMark } from "../owner-marks.js";
import type { WriteContext } from "../write/context.js";
import { createOnce } from "../write/create.js";
import { textOf } from "../write/encode.js";
import { saveSecret } from "../write/save-secret.js";
import { markFor, missingInReply, sameMark } from "./network-writer.js";
import { makeKeyPair } from "./ssh-key.js";
import type { ObjectWriter } from "./writers.js";

/**
 * Writes key pairs. They are always imported, so that the comment of the key contains the mark from the start. Without a public key, the
 * pair is generated here, and the private key is saved before the import, so that no lost reply can lose it (ADR 7).
 */
export const keyPairObjects: ObjectWriter = {
  async create(entry, path, context) {
    const mark = markFor(entry, path, context);
    const publicKey = textOf(entry, "public_key") ?? (await generated(entry, path, context));
    await importKey(publicKey, mark, path, context);
  },

  /** A key pair cannot be changed. Taking ownership means importing the same key again with the mark. */
  async update({ path, id, after, tags }, context) {
    const publicKey = textOf(after, "public_key");
    if (!tags.has("owner") || publicKey === undefined) return;
    await deleteKeyPair(id, context);
    await importKey(publicKey, markFor(after, path, context), path, context);
  },

  async remove(pair, _path, context) {
    await deleteKeyPair(textAt(pair, "name") ?? "", context);
  },

  async fresh(name, { client, inventory }) {
    try {
      const { body } = await client.request({ service: "compute", method: "GET", path: ["os-keypairs", name] });
      const pair = objectAt(body, "keypair");
      if (pair !== undefined) inventory.put("keypairs", pair);
      return pair;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      inventory.remove("keypairs", name);
      return undefined;
    }
  },
};

async function generated(entry: TreeNode, path: Path, context: WriteContext): Promise<string> {
  const saveTo = textOf(entry, "saveTo");
  if (saveTo === undefined)
    throw new PlumblineError(
      "cloud-incomplete-object",
      `"${path.name}" cannot be created: it has neither public_key nor saveTo for a new private key`,
      {
        where: { target: context.client.target, xpath: path.toString() },
        next: "Write public_key:, or saveTo: with the file that shall hold the private key.",
      },
    );
  const { publicKey, privateKey } = await makeKeyPair();
  await saveSecret(privateKey, saveTo, path, context);
  return publicKey;
}

async function importKey(publicKey: string, mark: OwnerMark, path: Path, context: WriteContext): Promise<void> {
  const { client, inventory } = context;
  const name = path.name ?? "";
  const look = () => keyPairObjects.fresh(name, context);
  const create = async () => {
    const keypair = { name, public_key: markedPublicKey(publicKey, mark) };
    const reply = await client.request({ service: "compute", method: "POST", path: ["os-keypairs"], body: { keypair } });
    const object = objectAt(reply.body, "keypair");
    if (object === undefined) throw missingInReply(context, "POST os-keypairs");
    return { object, reply };
  };
  try {
    const { object } = await createOnce(context, path, create, look);
    inventory.put("keypairs", object);
  } catch (error) {
    if (!(error instanceof OpenstackError) || error.refusal !== "conflict") throw error;
    await judgeConflict(publicKey, mark, await look(), path, context, error);
  }
}

/**
 * Decides about an existing key pair with this name: ours (after a lost reply), a different key, or a pair that the account may not see.
 */
async function judgeConflict(
  publicKey: string,
  mark: OwnerMark,
  live: JsonObject | undefined,
  path: Path,
  { client }: WriteContext,
  cause: OpenstackError,
): Promise<void> {
  const where = { target: client.target, xpath: path.toString() };
  if (live === undefined)
    throw new PlumblineError("cloud-object-hidden", `"${path.name}" exists according to the service, and is hidden from this account`, {
      where,
      next: "Give the account a role that may see it, or choose another name.",
      cause,
    });
  const isSameKey = bodyOf(withoutMark(textAt(live, "public_key") ?? "")) === bodyOf(publicKey);
  if (isSameKey && sameMark(keyPairMark(live), mark)) return;
  throw new PlumblineError(
    "cloud-conflict",
    `a key pair "${path.name}" with ${isSameKey ? "this" : "another"} key was created in the meantime`,
    {
      where,
      next: "Run again: $adopt: true takes it over if its key is the declared one.",
      cause,
    },
  );
}

/** Returns type and key without the comment. */
function bodyOf(publicKey: string): string {
  return publicKey.trim().split(/\s+/).slice(0, 2).join(" ");
}

async function deleteKeyPair(name: string, context: WriteContext): Promise<void> {
  try {
    await context.client.request({ service: "compute", method: "DELETE", path: ["os-keypairs", name] });
  } catch (error) {
    const isDeleted = isNotFound(error) || (isOutcomeUnknown(error) && (await keyPairObjects.fresh(name, context)) === undefined);
    if (!isDeleted) throw error;
  }
  context.inventory.remove("keypairs", name);
}

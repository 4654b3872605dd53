import { PlumblineError } from "../../../core/errors.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { protectSecrets } from "../../../core/tree/stored-secrets.js";
import type { Snapshots } from "../../../engine/write-target.js";
import { saysUnknownCommand, succeeded } from "../client/reply.js";
import { changingOp, op } from "../client/request.js";
import { deleteSaved, saveConfiguration, showSaved } from "../commands.js";
import { requireSuccess } from "../device-errors.js";
import type { PanosSession } from "../session.js";
import { panosShape } from "../shape.js";

/** Longest name of a saved configuration (docs/devices/panos.md#commits-and-jobs). */
const NAME_LENGTH = 32;

/** Configurations that the device keeps under names. */
export class SavedConfigurations implements Snapshots {
  readonly #session: PanosSession;

  constructor(session: PanosSession) {
    this.#session = session;
  }

  /** `save config to`: the candidate before we write, which is running plus what is pending. */
  async save(name: string): Promise<boolean> {
    const { client } = await this.#session.current();
    if (name === "" || name.length > NAME_LENGTH) {
      throw new PlumblineError("snapshot-name-length", `a saved configuration cannot be called "${name}": 1 to 32 characters are allowed`, {
        where: { target: client.place.target },
        next: "Choose a shorter name.",
      });
    }
    const reply = await client.send(changingOp(saveConfiguration(name)));
    if (saysUnknownCommand(reply)) return false;
    requireSuccess(reply, client.place);
    return true;
  }

  async load(name: string): Promise<TreeNode | undefined> {
    const { client } = await this.#session.current();
    const reply = await client.send(op(showSaved(name)));
    if (!succeeded(reply)) return undefined;
    const root = reply.result?.children.find((child) => child.tag === "config");
    return root === undefined ? undefined : protectSecrets(root, panosShape());
  }

  /** What a device says of a name that it does not have differs, so one that refuses is asked whether it has it. */
  async remove(name: string): Promise<boolean> {
    const { client } = await this.#session.current();
    const reply = await client.send(changingOp(deleteSaved(name)));
    if (saysUnknownCommand(reply)) return false;
    if (!succeeded(reply) && (await this.load(name)) !== undefined) requireSuccess(reply, client.place);
    return true;
  }
}

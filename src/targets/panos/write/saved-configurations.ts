import { PlumblineError } from "../../../core/errors.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { protectSecrets } from "../../../core/tree/stored-secrets.js";
import type { Snapshots } from "../../../engine/write-target.js";
import { deleteSaved, saveConfiguration, showSaved } from "../client/commands.js";
import { requireSuccess } from "../client/device-errors.js";
import { isUnknownCommand, succeeded } from "../client/reply.js";
import { changingOp, op } from "../client/request.js";
import type { PanosSession } from "../session.js";
import { panosShape } from "../shape.js";

/** Maximum length of a name (docs/contributing/devices/panos.md#commits-and-jobs). */
const NAME_LENGTH = 32;

/** Named configurations on the device. */
export class SavedConfigurations implements Snapshots {
  readonly #session: PanosSession;

  constructor(session: PanosSession) {
    this.#session = session;
  }

  /** Sends `save config to`. It saves the candidate before the write: running plus pending changes. */
  async save(name: string): Promise<boolean> {
    const { client } = await this.#session.current();
    if (name === "" || name.length > NAME_LENGTH) {
      throw new PlumblineError("snapshot-name-length", `a saved configuration cannot be called "${name}": 1 to 32 characters are allowed`, {
        where: { target: client.place.target },
        next: "Choose a shorter name.",
      });
    }
    const reply = await client.send(changingOp(saveConfiguration(name)));
    if (isUnknownCommand(reply)) return false;
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

  /** Devices report an unknown name in different ways. After a refusal, the configuration is loaded to find out whether it exists. */
  async remove(name: string): Promise<boolean> {
    const { client } = await this.#session.current();
    const reply = await client.send(changingOp(deleteSaved(name)));
    if (isUnknownCommand(reply)) return false;
    if (!succeeded(reply) && (await this.load(name)) !== undefined) requireSuccess(reply, client.place);
    return true;
  }
}

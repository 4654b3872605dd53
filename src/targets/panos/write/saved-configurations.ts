import { PlumblineError } from "../../../core/errors.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { protectSecrets } from "../../../core/tree/stored-secrets.js";
import type { Snapshots } from "../../../engine/write-target.js";
import { deleteSaved, saveConfiguration, showSaved } from "../client/commands.js";
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
    return (await client.runIfSupported(saveConfiguration(name))) !== undefined;
  }

  async load(name: string): Promise<TreeNode | undefined> {
    const { client } = await this.#session.current();
    const reply = await client.attempt(showSaved(name));
    if (reply.outcome !== "done") return undefined;
    const root = reply.result?.children.find((child) => child.tag === "config");
    return root === undefined ? undefined : protectSecrets(root, panosShape());
  }

  /** Devices report an unknown name in different ways. After a refusal, the configuration is loaded to find out whether it exists. */
  async remove(name: string): Promise<boolean> {
    const { client } = await this.#session.current();
    const reply = await client.attempt(deleteSaved(name));
    if (reply.outcome === "unsupported") return false;
    if (reply.outcome !== "done" && (await this.load(name)) !== undefined) throw client.refusal(reply);
    return true;
  }
}

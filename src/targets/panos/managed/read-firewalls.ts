import { childByTag } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { protectSecrets } from "../../../core/tree/stored-secrets.js";
import type { PanosClient } from "../client/client.js";
import { showManagedDevices } from "../client/commands.js";
import { childOf, descend, textOf } from "../client/reply.js";
import { FIREWALLS } from "../pushed-paths.js";
import { readSubtree } from "../read/read-subtree.js";
import { panosShape } from "../shape.js";

const CONFIG = Path.root.child("config");
/** Parts of a firewall's own configuration that contain its rules or that the rules refer to. */
const KEPT: ReadonlySet<string> = new Set(["shared", "devices"]);

/**
 * Reads the firewalls of a manager, as a node at `FIREWALLS`. It sends one request for their names and, with `reads`, one per connected
 * firewall for its running configuration.
 */
export async function readFirewalls(client: PanosClient, reads: boolean): Promise<TreeNode> {
  const reply = await client.runIfSupported(showManagedDevices);
  const devices = descend(reply?.result, "devices")?.children ?? [];
  const entries = devices.map(async (device) => {
    const serial = textOf(childOf(device, "serial")) || (device.name ?? "");
    const isConnected = textOf(childOf(device, "connected")) === "yes";
    const own = !reads ? [] : [isConnected ? await runningOn(client, serial) : unread("it is not connected.")];
    return new TreeNode("entry", serial, "", [new TreeNode("hostname", undefined, textOf(childOf(device, "hostname"))), ...own]);
  });
  return new TreeNode(FIREWALLS.tag, undefined, "", await Promise.all(entries));
}

async function runningOn(client: PanosClient, serial: string): Promise<TreeNode> {
  try {
    const read = await readSubtree(client.firewall(serial), CONFIG, "running");
    const running = protectSecrets(read ?? new TreeNode("config"), panosShape());
    return new TreeNode(
      "config",
      undefined,
      "",
      [...KEPT].flatMap((tag) => childByTag(running, tag) ?? []),
    );
  } catch (error) {
    return unread(error instanceof Error ? error.message : String(error));
  }
}

function unread(why: string): TreeNode {
  return new TreeNode("unread", undefined, why);
}

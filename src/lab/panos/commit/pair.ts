import { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import type { Version } from "../state/saved.js";

/** Of one of two managers, where nobody wrote it down. */
export interface PairVersions {
  /** Whose version it notes a commit as that it takes over from the other: whose it was, nobody's, or none at all; `author` when left out. */
  readonly noted: "author" | "nobody" | "none";
  /** What it makes of a selective push to a firewall that has the other's: refuses, or takes the number for its own; `refused` when left out. */
  readonly foreign: "refused" | "counted";
  /** Versions that it has before the pair's first commit, beside the one that it starts with. */
  readonly before: number;
}

/**
 * Copies a commit of the active device to its peer, but for `deviceconfig`, which each keeps. Uncommitted edits stay where they are. A manager
 * has numbers of its own for what it took over.
 */
export function synchronisePeer(device: LabDevice, version: Omit<Version, "root">): void {
  const { peer } = device;
  if (peer === undefined || device.haState !== "active" || device.isPeerBehind) return;
  const clean = peer.candidate.pending.length === 0;
  peer.running = withOwnDeviceConfig(device.running, peer.running);
  if (clean) peer.candidate.reset(peer.running, []);
  const { noted = "author" } = peer.options.pairVersions ?? {};
  if (peer.firewalls.length === 0 || noted === "none") return;
  peer.saved.addVersion({ ...version, ...(noted === "nobody" ? { admin: "" } : {}), root: peer.running });
}

/** Makes the passive device active and the active one passive. */
export function failOver(device: LabDevice): void {
  const { peer } = device;
  if (peer === undefined) return;
  [device.haState, peer.haState] = [peer.haState, device.haState];
}

function withOwnDeviceConfig(root: TreeNode, own: TreeNode): TreeNode {
  const mine = deviceEntry(own)?.children.find((child) => child.tag === "deviceconfig");
  return replaceChild(root, "devices", (devices) =>
    replaceChild(devices, "entry", (entry) => {
      const others = entry.children.filter((child) => child.tag !== "deviceconfig");
      return new TreeNode(entry.tag, entry.name, "", mine === undefined ? others : [mine, ...others], entry.attributes);
    }),
  );
}

function deviceEntry(root: TreeNode): TreeNode | undefined {
  return root.children.find((child) => child.tag === "devices")?.children[0];
}

function replaceChild(node: TreeNode, tag: string, change: (child: TreeNode) => TreeNode): TreeNode {
  const children = node.children.map((child) => (child.tag === tag ? change(child) : child));
  return new TreeNode(node.tag, node.name, node.text, children, node.attributes);
}

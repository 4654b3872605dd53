import { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import type { Version } from "../state/saved.js";

/** Behaviour of one manager of an HA pair. No documentation describes it. */
export interface PairVersions {
  /**
   * How the peer records the commit that it receives: with the author's name, without a name (`nobody`), or not (`none`). Default:
   * `author`.
   */
  readonly noted: "author" | "nobody" | "none";
  /**
   * Reaction to a selective push to a firewall that has a version of the peer: refuse, or treat the number as its own. Default:
   * `refused`.
   */
  readonly foreign: "refused" | "counted";
  /** Number of versions before the pair's first commit, in addition to the initial version. */
  readonly before: number;
}

/**
 * Copies a commit of the active device to its peer, except `deviceconfig`, which each device keeps. Uncommitted edits of the peer are
 * kept. A manager numbers the copied versions itself.
 */
export function synchronisePeer(device: LabDevice, version: Omit<Version, "root">): void {
  const { peer } = device;
  if (peer === undefined || device.haState !== "active" || device.isPeerBehind) return;
  const clean = peer.candidate.pending.length === 0;
  peer.running = withOwnDeviceConfig(device.running, peer.running);
  if (clean) peer.candidate.reset(peer.running, []);
  const { noted = "author" } = peer.options.panorama?.pairVersions ?? {};
  if (peer.firewalls.length === 0 || noted === "none") return;
  peer.saved.addVersion({ ...version, ...(noted === "nobody" ? { admin: "" } : {}), root: peer.running });
}

/** Swaps the roles of the active and the passive device. */
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

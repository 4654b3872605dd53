import { find } from "../../../src/core/tree/lookup.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { writeXml } from "../../../src/core/tree/xml/write.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { empty, found, keyReply, noSuchNode, systemInfo, unknownCommand } from "./fixtures.js";
import type { Answer, Asked, Script } from "./scripted-device.js";

/** Answers by call: a reply, or a function of the request and of how often the call came. */
export type Table = Readonly<Record<string, Answer | Script>>;

export const CALLS = {
  system: "<show><system><info></info></system></show>",
  ha: "<show><high-availability><state></state></high-availability></show>",
  changes: "<show><config><list><changes></changes></list></config></show>",
  pending: "<check><pending-changes></pending-changes></check>",
  configLocks: "<show><config-locks><vsys>all</vsys></config-locks></show>",
  commitLocks: "<show><commit-locks><vsys>all</vsys></commit-locks></show>",
  admins: "<show><admins></admins></show>",
  jobs: "<show><jobs><all></all></jobs></show>",
  validate: "<validate><full></full></validate>",
  validateOwn: "<validate><partial><admin><member>netops</member></admin></partial></validate>",
} as const;

/** A device that knows its key, its system information and the calls of `table`, and refuses every other one. */
export function tableScript(table: Table): Script {
  const all: Table = { keygen: keyReply, [CALLS.system]: systemInfo(), ...table };
  return (asked, count) => {
    const answer = all[asked.call];
    if (answer === undefined) return unknownCommand;
    return typeof answer === "function" ? answer(asked, count) : answer;
  };
}

/** Replies of a device beyond the specification if no change is pending and no lock is held. */
export const QUIET: Table = {
  [CALLS.changes]: `<response status="success"><result><journal></journal></result></response>`,
  [CALLS.pending]: `<response status="success"><result>no</result></response>`,
  [CALLS.configLocks]: `<response status="success"><result><config-locks></config-locks></result></response>`,
  [CALLS.commitLocks]: `<response status="success"><result><commit-locks></commit-locks></result></response>`,
  [CALLS.ha]: `<response status="success"><result><enabled>no</enabled></result></response>`,
};

/** `get` and `show` over a configuration, found by exact paths. */
export function configurationTable(xml: string): Table {
  const root = parseXml(xml);
  const node = ({ params }: Asked): TreeNode | undefined => find(root, parsePath(params.get("xpath") ?? ""));
  const answer = (asked: Asked, missing: string): string => {
    const at = node(asked);
    return at === undefined ? missing : found(writeXml(at, { secrets: "label" }));
  };
  return { "config/get": (asked) => answer(asked, empty), "config/show": (asked) => answer(asked, noSuchNode) };
}

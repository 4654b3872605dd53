import type { DesignPlace, Drafts } from "../../../access/designer.js";
import type { Edit } from "../../../access/edit.js";
import type { FlowDesigner, FlowRequest } from "../../../access/flow-designer.js";
import { childByTag, find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { listed } from "../../../outcome/shorten-list.js";
import { groupIn } from "../objects/server-interfaces.js";
import { groupsIn } from "../policy/groups.js";
import { OPEN, projectIn } from "../policy/members.js";
import { ruleEndsIn } from "../rule-ends.js";
import { PROJECT, ROOT_PATH } from "../shape.js";
import { compareProjects } from "./compare.js";
import { draftsFor } from "./drafts.js";
import { type End, endsOf } from "./ends.js";
import { type Flows, flowsBetween } from "./flows.js";
import { narrowings } from "./narrow.js";

/** Writes access requests as rules and memberships of security groups. */
export const openstackDesigner: FlowDesigner = {
  style: "ends",
  request(tree, words) {
    const { from, to } = endsOf(tree, words);
    const isTransit = words.fromZone !== undefined && words.toZone !== undefined;
    const flows = flowsBetween(from, to, words.service, isTransit);
    return new GroupRequest(flows, words.service, [...from.notes, ...to.notes, ...notesOn(tree, flows)]);
  },
  compare(before, after, requests, options) {
    const flows = requests.map((request) => {
      if (!(request instanceof GroupRequest)) throw new Error("the requests are those of this designer");
      return request.flows;
    });
    return compareProjects(before, after, flows, options);
  },
  endings({ tree, declared }) {
    return ruleEndsIn(tree)
      .filter(({ path }) => find(declared, path) !== undefined)
      .map(({ kind, name, path, until }) => {
        const edits = kind === "rule" ? [{ kind: "remove", at: path } as const] : groupRemoval(tree, declared, name);
        return { name: kind === "rule" ? name : `${kind} ${name}`, path, until, edits };
      });
  },
};

class GroupRequest implements FlowRequest {
  readonly scope = PROJECT;
  readonly fromZone: string;
  readonly toZone: string;

  constructor(
    readonly flows: Flows,
    readonly service: string,
    readonly notes: readonly string[],
  ) {
    this.fromZone = zoneOf(flows.from);
    this.toZone = zoneOf(flows.to);
  }

  drafts(place: DesignPlace, note: string): Drafts {
    return draftsFor(place, this.flows, this.service, note);
  }

  narrowings(place: DesignPlace): Drafts {
    return narrowings(place, this.flows);
  }
}

/** Returns what a user may not expect of the answer. */
function notesOn(tree: TreeNode, { from, to, families }: Flows): readonly string[] {
  const open = [...projectIn(tree).holders].flatMap(([holder, groups]) => (groups.has(OPEN) ? [holder] : []));
  const isEnd = (holder: string) => [from, to].some(({ holders }) => holders.includes(holder));
  const ends = open.filter(isEnd);
  const others = open.filter((holder) => !isEnd(holder));
  return [
    ...(ends.length === 0 ? [] : [`No group decides at ${listed(ends, NAMED)}: there is no port security.`]),
    ...(others.length === 0
      ? []
      : [`Not checked: ${listed(others, NAMED)} may use addresses of others, because there is no port security.`]),
    ...(families.length === 1 ? [] : ["The request is about IPv4 and IPv6. Name an address for one of them."]),
  ];
}

/** Maximum number of ports and servers in a note. */
const NAMED = 3;

function zoneOf({ label, isOutside }: End): string {
  return isOutside ? "anywhere" : label;
}

/** Returns the edits that remove a group and its memberships, or the reason why documents cannot. */
function groupRemoval(tree: TreeNode, declared: TreeNode, name: string): readonly Edit[] | string {
  const edits: Edit[] = [];
  for (const list of ["servers", "ports"]) {
    for (const holder of childByTag(tree, list)?.children ?? []) {
      const at = ROOT_PATH.child(list)
        .entry(holder.name ?? "")
        .child("security_groups");
      const members = childByTag(holder, "security_groups")?.children ?? [];
      if (!members.some(({ text }) => groupIn(text) === name)) continue;
      if (find(declared, at.member(name)) === undefined) return `no document declares that ${holder.name} is in it`;
      if (members.length === 1) return `it is the only group of ${holder.name}`;
      edits.push({ kind: "remove-member", list: at, member: name });
    }
  }
  const user = [...groupsIn(tree)].find(
    ([other, { rules }]) => other !== name && rules.some(({ remote }) => "group" in remote && remote.group === name),
  );
  if (user !== undefined) return `a rule of security group ${user[0]} names it`;
  return [...edits, { kind: "remove", at: ROOT_PATH.child("security_groups").entry(name) }];
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Edit } from "../../../../src/access/edit.js";
import { withEdits } from "../../../../src/access/edit.js";
import { designsForFlow } from "../../../../src/access/flow-designer.js";
import { PlumblineError } from "../../../../src/core/errors.js";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { openstackDesigner } from "../../../../src/targets/openstack/access/designer.js";
import { ROOT_PATH } from "../../../../src/targets/openstack/shape.js";
import { seedOf } from "../../../seed.js";
import { isWanted, packetsOf, passes, readCloud } from "./interpreter.js";
import { cloud, GROUPS, MACHINES, type RawCloud, treesOf, type Wanted, wanted } from "./worlds.js";

const TIMEOUT = 1_200_000;
const WORLDS = Number(process.env.PLUMBLINE_ACCESS_WORLDS ?? 60);

function ask(raw: RawCloud, { from, to, service }: Wanted) {
  const { tree, declared } = treesOf(raw);
  try {
    const request = openstackDesigner.request(tree, { from, to, service }, {});
    const place = { scope: request.scope, tree, declared };
    return { tree, declared, ...designsForFlow({ designer: openstackDesigner, place, request, options: {} }, "CHG-1") };
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "flow-not-understood")
      return { tree, declared, state: "refused" as const, why: error.message };
    throw error;
  }
}

/** The packets that a tree treats otherwise than the request asks for. */
function wrongPackets(tree: TreeNode, after: TreeNode, request: Wanted) {
  const [was, is] = [readCloud(tree), readCloud(after)];
  return packetsOf(was).filter((packet) => passes(is, packet) !== (isWanted(was, request, packet) || passes(was, packet)));
}

describe("random requests in random projects", () => {
  it(
    "open exactly the requested flows",
    () => {
      const counts = new Map<string, number>();
      const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
      fc.assert(
        fc.property(cloud, wanted, (raw, request) => {
          const found = ask(raw, request);
          if (found.state === "refused")
            return count(
              `refused: ${found.why.replaceAll(/"[^"]*"|[mg][0-9a-c]|[0-9a-f:.]*[.:][0-9a-f:.]*(\/\d+)?|port|server|group/g, "…")}`,
            );
          const before = readCloud(found.tree);
          const asked = packetsOf(before).filter((packet) => isWanted(before, request, packet));
          const closed = asked.filter((packet) => !passes(before, packet));
          if (found.state === "allowed") {
            count("allowed");
            expect(closed).toEqual([]);
            return;
          }
          expect(found.state).toBe("denied");
          expect(closed.length === 0 && asked.length > 0).toBe(false);
          const exact = found.designs.filter(({ proof }) => proof.excess.length === 0);
          for (const { edits, summary } of exact)
            expect({ summary, wrong: wrongPackets(found.tree, withEdits(found.tree, edits), request) }).toEqual({ summary, wrong: [] });
          count(exact[0] === undefined ? "not exact" : `designed ${exact[0].kind}`);
        }),
        { numRuns: WORLDS * 10, seed: seedOf(46) },
      );
      expect(counts.get("designed member") ?? 0).toBeGreaterThan(0);
      expect(counts.get("designed rule") ?? 0).toBeGreaterThan(WORLDS);
      expect(counts.get("not exact") ?? 0).toBeGreaterThan(0);
      if (process.env.PLUMBLINE_ACCESS_WORLDS !== undefined) console.log(Object.fromEntries(counts));
    },
    TIMEOUT,
  );

  it(
    "have no smaller edit with one member or one rule",
    () => {
      fc.assert(
        fc.property(cloud, wanted, (raw, request) => {
          const found = ask(raw, request);
          if (found.state !== "denied") return;
          const [best] = found.designs.filter(({ proof }) => proof.excess.length === 0);
          // A new machine is in the default group, which its first list repeats.
          const lists = new Set(best?.edits.map((edit) => (edit.kind === "member" ? edit.list.toString() : edit)));
          if (lists.size === 1 && best?.kind === "member") return;
          const before = readCloud(found.tree);
          if (!packetsOf(before).some((packet) => isWanted(before, request, packet) && !passes(before, packet))) return;
          const hasRule = best?.edits.length === 1;
          // A new member of a requested group must get the access, too.
          const namesGroup = [request.from, request.to].some((word) => (GROUPS as readonly string[]).includes(word));
          const others = [...(namesGroup ? [] : singleMembers(raw)), ...(hasRule ? [] : singleRules(raw, request))];
          const better = others.find((edit) => wrongPackets(found.tree, withEdits(found.tree, [edit]), request).length === 0);
          expect({ better: better && textOf(better), found: best?.summary, reasons: found.reasons }).toMatchObject({ better: undefined });
        }),
        { numRuns: WORLDS * 4, seed: seedOf(47) },
      );
    },
    TIMEOUT,
  );
});

/** Short form for failures. */
function textOf(edit: Edit): string {
  if (edit.kind === "entry") return `${edit.list}: ${edit.entry.children.map(({ text }) => text).join(" ")}`;
  return edit.kind === "member" ? `${edit.list}: ${edit.member}` : edit.kind;
}

function singleMembers({ machines, undeclared }: RawCloud): readonly Edit[] {
  return machines.flatMap(({ isPort, groups, isOpen }, at) => {
    const name = MACHINES[at] ?? "";
    if (groups === undefined || undeclared.includes(name) || (isPort && isOpen)) return [];
    const list = ROOT_PATH.child(isPort ? "ports" : "servers")
      .entry(name)
      .child("security_groups");
    const others = GROUPS.filter((group) => !groups.includes(group) && !undeclared.includes(group));
    return others.map((member): Edit => ({ kind: "member", list, member }));
  });
}

/** Rules of the usual form: one service, and the other end as a group or as one prefix. */
function singleRules({ undeclared }: RawCloud, { from, to, service }: Wanted): readonly Edit[] {
  const [protocol = "", ports] = service.split("/");
  const [first, last = first] = ports?.split("-") ?? [];
  if (ports?.includes(",") === true) return [];
  const remotes = (word: string): readonly (readonly [string, string])[] => {
    const at = (MACHINES as readonly string[]).indexOf(word);
    if ((GROUPS as readonly string[]).includes(word)) return [["remote_group", word]];
    if (at >= 0)
      return [
        ["remote_ip_prefix", `10.0.0.${at + 10}/32`],
        ["remote_ip_prefix", `fd00::${at + 10}/128`],
      ];
    return [["remote_ip_prefix", word.includes("/") ? word : `${word}/${word.includes(":") ? 128 : 32}`]];
  };
  return GROUPS.filter((group) => !undeclared.includes(group)).flatMap((group) =>
    (["ingress", "egress"] as const).flatMap((direction) =>
      remotes(direction === "ingress" ? from : to).flatMap(([tag, remote]) =>
        (tag === "remote_group" ? ["IPv4", "IPv6"] : [remote.includes(":") ? "IPv6" : "IPv4"]).map((ethertype): Edit => {
          const fields = {
            direction,
            ethertype,
            protocol: protocol === "icmp6" ? "ipv6-icmp" : protocol,
            port_range_min: first,
            port_range_max: last,
            [tag]: remote,
          };
          const children = Object.entries(fields).flatMap(([name, text]) =>
            text === undefined ? [] : [new TreeNode(name, undefined, text)],
          );
          return {
            kind: "entry",
            list: ROOT_PATH.child("security_groups").entry(group).child("rules"),
            entry: new TreeNode("entry", "new", "", children),
          };
        }),
      ),
    ),
  );
}

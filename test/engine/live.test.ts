import { describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import { TreeNode } from "../../src/core/tree/node.js";
import type { Path } from "../../src/core/tree/path.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { DesiredNode, type DesiredTarget } from "../../src/desired/model.js";
import { SourceMap } from "../../src/desired/source-map.js";
import { readCommitted, readLive, readRunning, subtreesOf } from "../../src/engine/live.js";
import type { ReadTarget } from "../../src/engine/target.js";
import type { Capabilities, PendingChange, View } from "../../src/plan/platform.js";
import { ALL } from "./apply/device-target.js";

function node(tag: string, name: string | undefined, declared: boolean, ...children: DesiredNode[]): DesiredNode {
  return new DesiredNode(tag, name, "", children, { origin: -1, prunes: declared, declared });
}

/** An undeclared place with declared nodes below it. */
function desired(...below: DesiredNode[]): DesiredTarget {
  const root = node("config", undefined, false, node("vsys", undefined, false, node("entry", "vsys1", false, ...below)));
  return { target: "edge", root, exclusive: [], allowEmpty: [], ignores: [], sources: new SourceMap() };
}

const VSYS1 = "/config/vsys/entry[@name='vsys1']";
const paths = (rows: readonly Path[]) => rows.map(String).sort();
const rows = (...texts: string[]) => texts.map((text) => parsePath(text));

describe("subtrees that a plan reads", () => {
  it("are the topmost declared containers, whatever their content", () => {
    const entries = Array.from({ length: 1000 }, (_, i) => node("entry", `n${i}`, true));
    const target = desired(node("address", undefined, true, ...entries), node("tag", undefined, true));
    expect(paths(subtreesOf(target, [], undefined))).toEqual([`${VSYS1}/address`, `${VSYS1}/tag`]);
  });

  it("are lists if a document declares bare entries", () => {
    const list = node("address", undefined, false, node("entry", "a", true), node("entry", "b", true));
    expect(paths(subtreesOf(desired(list), [], undefined))).toEqual([`${VSYS1}/address`]);
  });

  it("include ledger rows, once per list", () => {
    const ledger = rows(`${VSYS1}/address/entry[@name='a']`, `${VSYS1}/service/entry[@name='x']`, `${VSYS1}/service/entry[@name='y']`);
    const target = desired(node("address", undefined, true));
    expect(paths(subtreesOf(target, ledger, undefined))).toEqual([`${VSYS1}/address`, `${VSYS1}/service`]);
  });

  it("exclude anything below another subtree", () => {
    const ledger = rows("/config/vsys/entry[@name='vsys2']", `${VSYS1}/address/entry[@name='a']`);
    expect(paths(subtreesOf(desired(node("address", undefined, true)), ledger, undefined))).toEqual(["/config/vsys"]);
  });

  it("are those of --path", () => {
    const target = desired(node("address", undefined, true), node("tag", undefined, true));
    expect(paths(subtreesOf(target, [], parsePath(`${VSYS1}/tag/entry[@name='red']`)))).toEqual([`${VSYS1}/tag`]);
    expect(paths(subtreesOf(target, [], parsePath("/config/vsys")))).toEqual([`${VSYS1}/address`, `${VSYS1}/tag`]);
  });
});

describe("candidate and running", () => {
  function reads(pending: readonly PendingChange[]) {
    const views: View[] = [];
    const read = async (_: readonly Path[], view: View) => {
      views.push(view);
      return new TreeNode("config");
    };
    return { views, target: { read, pendingAndLocks: { pending: async () => pending } } as unknown as ReadTarget };
  }
  const change = { owner: "alice", xpath: "/config/shared", action: "SET" };
  const unknown: Capabilities = { ...ALL, changeList: false };
  const one: Capabilities = { ...ALL, candidate: false };

  it.each([
    ["nothing is pending", ALL, [], ["candidate"], ["candidate"]],
    ["something is pending", ALL, [change], ["candidate", "running"], ["running"]],
    ["nobody knows", unknown, [], ["candidate", "running"], ["running"]],
    ["there is only one configuration", one, [], ["candidate"], ["candidate"]],
  ] as const)("when %s", async (_, capabilities, pending, forPlan, forDrift) => {
    const plan = reads(pending);
    await readLive(plan.target, capabilities, []);
    expect(plan.views).toEqual(forPlan);
    const drift = reads(pending);
    await readRunning(drift.target, capabilities, []);
    expect(drift.views).toEqual(forDrift);
  });
});

describe("the result of a commit", () => {
  const change = { owner: "alice", xpath: "/config/shared", action: "SET" };

  /** Requests, in order, to a device whose lists of changes are `lists`; the last one repeats. */
  function asked(...lists: readonly (readonly PendingChange[])[]) {
    const words: string[] = [];
    const left = [...lists];
    const pending = async () => {
      words.push("list");
      return (left.length > 1 ? left.shift() : left[0]) ?? [];
    };
    const read = async (_: readonly Path[], view: View) => {
      words.push(view);
      return new TreeNode("config", undefined, view);
    };
    return { words, target: { read, pendingAndLocks: { pending } } as unknown as ReadTarget };
  }

  it("is running, if nothing is pending: one read, and one list of changes", async () => {
    const { words, target } = asked([]);
    const live = await readCommitted(target, ALL, []);
    expect([live.running?.text, live.candidate, live.pending]).toEqual(["running", live.running, []]);
    expect(words.sort()).toEqual(["list", "running"]);
  });

  it("is read as for a plan if anything is pending", async () => {
    const { words, target } = asked([change]);
    const live = await readCommitted(target, ALL, []);
    expect([live.candidate.text, live.running?.text, live.pending]).toEqual(["candidate", "running", [change]]);
    expect(words.slice(2)).toEqual(["candidate", "list", "running"]);
  });

  it.each([
    ["where nobody lists it", { ...ALL, changeList: false }, ["candidate", "running"]],
    ["where what runs cannot be read", { ...ALL, runningUnreadable: true }, ["list", "candidate", "list"]],
    ["where there is only one configuration", { ...ALL, candidate: false }, ["candidate"]],
  ] as const)("is read as for a plan %s", async (_, capabilities, expected) => {
    const { words, target } = asked([]);
    await readCommitted(target, capabilities, []);
    expect(words).toEqual(expected);
  });
});

describe("pending changes while the candidate is read", () => {
  const ours = { owner: "netops", xpath: "/config/shared", action: "SET" };

  /** A device with or without uncommitted changes of Plumbline. Right after the nth read of the candidate its state becomes `then`. */
  function moving(standsAtFirst: boolean, ...then: boolean[]) {
    let stands = standsAtFirst;
    const pending = async () => (stands ? [ours] : []);
    const read = async (_: readonly Path[], view: View) => {
      const tree = new TreeNode("config", undefined, view === "candidate" && stands ? "wanted" : "as before");
      if (view === "candidate") stands = then.shift() ?? stands;
      return tree;
    };
    return { read, pendingAndLocks: { pending } } as unknown as ReadTarget;
  }

  it.each([
    ["lost by a restart", [true, false]],
    ["lost, written anew and lost again", [true, false, true, false]],
    ["written", [false, true]],
  ] as const)("is %s: the candidate is not taken for what runs", async (_, [first, ...then]) => {
    const { running } = await readLive(moving(first, ...then), ALL, []);
    expect(running?.text).toBe("as before");
  });

  it("are lost: the plan then uses the candidate after that", async () => {
    const { candidate, pending } = await readLive(moving(true, false), ALL, []);
    expect([candidate.text, pending]).toEqual(["as before", []]);
  });

  it("are written: that is no drift of running", async () => {
    let stands = false;
    const pending = async () => (stands ? [ours] : []);
    const read = async (_: readonly Path[], view: View) => {
      stands = true;
      return new TreeNode("config", undefined, view === "candidate" ? "wanted" : "as before");
    };
    const { running } = await readRunning({ read, pendingAndLocks: { pending } } as unknown as ReadTarget, ALL, []);
    expect(running?.text).toBe("as before");
  });
});

describe("an absent subtree", () => {
  it("requires a read of its parent, to distinguish empty from missing", async () => {
    const asked: string[][] = [];
    const vsys = parsePath(VSYS1);
    const target = {
      async read(subtrees: readonly Path[]) {
        asked.push(paths(subtrees));
        const place = subtrees.some((path) => path.equals(vsys))
          ? [new TreeNode("vsys", undefined, "", [new TreeNode("entry", "vsys1")])]
          : [];
        return new TreeNode("config", undefined, "", place);
      },
    } as unknown as ReadTarget;
    const subtrees = rows(`${VSYS1}/address`, `${VSYS1}/tag`);
    const { candidate } = await readLive(target, { ...ALL, candidate: false }, subtrees);
    expect(asked).toEqual([paths(subtrees), [VSYS1]]);
    expect(find(candidate, vsys)).toBeDefined();
  });
});

import { describe, expect, it } from "vitest";
import type { Operation } from "../../../src/core/operation.js";
import { find } from "../../../src/core/tree/lookup.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { writeXml } from "../../../src/core/tree/xml/write.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { MemoryTarget, type MemoryTargetOptions } from "../../../src/targets/memory/target.js";
import { live, shape } from "../../plan/diff/trees.js";
import { type HandsOn, handsOn } from "../hands-on.js";

const V = "/config/vsys/entry[@name='v']";
const TREE =
  "<config><shared><address><entry name='s'/></address></shared><vsys><entry name='v'><address><entry name='a'/><entry name='b'/></address>" +
  "<rules><entry name='r'><source><member>a</member></source><destination><member>any</member></destination></entry></rules></entry></vsys></config>";

function target(options: Partial<MemoryTargetOptions> = {}): HandsOn<MemoryTarget> {
  return handsOn(new MemoryTarget({ name: "m", shape, tree: live(TREE), clock: () => "2026/01/01 00:00:00", ...options }));
}

const remove = (path: string): Operation => ({ action: "delete", at: parsePath(`${V}/${path}`) });
const set = (path: string, xml: string): Operation => ({
  action: "set",
  at: parsePath(path === "" ? V : `${V}/${path}`),
  element: live(xml),
});
const silent = (): void => undefined;

describe("MemoryTarget", () => {
  it("reads the requested subtrees in their containers, and omits absent ones", async () => {
    const tree = await target().read([parsePath(`${V}/address/entry[@name='b']`), parsePath("/config/shared/group")], "candidate");
    expect(writeXml(tree, { secrets: "label" })).toBe(
      '<config><shared/><vsys><entry name="v"><address><entry name="b"/></address></entry></vsys></config>',
    );
  });

  it("returns copies that a reader can change without effect", async () => {
    const memory = target();
    const tree = await memory.read([parsePath("/config")], "candidate");
    (find(tree, parsePath(`${V}/address/entry[@name='a']`)) as { name: string }).name = "changed";
    expect(find(memory.configurations.candidate, parsePath(`${V}/address/entry[@name='a']`))).toBeDefined();
  });

  it("activates nothing that another administrator overwrote in the candidate before the own commit", () => {
    const { configurations } = target();
    configurations.write([set("address/entry[@name='a']", "<ip>1</ip>")], "alice", true);
    configurations.write([set("address/entry[@name='a']", "<ip>2</ip>")], "plumbline", true);
    configurations.commit("plumbline");
    expect(configurations.pending).toEqual([]);
    configurations.write([set("address/entry[@name='b']", "<ip>3</ip>")], "alice", true);
    configurations.commit("alice");
    const texts = ["a", "b"].map((name) => find(configurations.running, parsePath(`${V}/address/entry[@name='${name}']/ip`))?.text);
    expect(texts).toEqual(["2", "3"]);
  });

  it("keeps equal commits of others since, as theirs", () => {
    const { configurations } = target();
    const c = "<entry name='c'><ip>1</ip></entry>";
    configurations.write([set("address", c)], "plumbline", true);
    configurations.write([{ action: "edit", at: parsePath(`${V}/address/entry[@name='c']`), element: live(c) }], "alice", true);
    configurations.commit("alice");
    configurations.commit("plumbline");
    expect(configurations.pending).toEqual([]);
    const by = (tree: TreeNode) => find(tree, parsePath(`${V}/address/entry[@name='c']`))?.attributes?.get("admin");
    expect([by(configurations.candidate), by(configurations.running)]).toEqual(["alice", "alice"]);
  });

  it("keeps the rest of a write pending if others overwrote a part", () => {
    const { configurations } = target();
    configurations.write(
      [
        set("address", "<entry name='a'><ip>1</ip></entry>"),
        set("", "<address><entry name='b'><ip>2</ip></entry><entry name='c'><ip>3</ip></entry></address>"),
      ],
      "plumbline",
      true,
    );
    configurations.write([set("address/entry[@name='b']", "<ip>9</ip>")], "alice", true);
    configurations.commit("alice");
    configurations.commit("plumbline");
    const texts = ["a", "b", "c"].map((name) => find(configurations.running, parsePath(`${V}/address/entry[@name='${name}']/ip`))?.text);
    expect(texts).toEqual(["1", "9", "3"]);
  });

  it("commits a deletion of an object that others deleted and committed before", () => {
    const { configurations } = target();
    configurations.write([remove("address/entry[@name='a']")], "alice", true);
    configurations.write([set("address/entry[@name='a']", "<ip>2</ip>")], "plumbline", true);
    configurations.write([remove("address/entry[@name='a']")], "plumbline", true);
    configurations.commit("plumbline");
    configurations.commit("alice");
    expect(find(configurations.running, parsePath(`${V}/address/entry[@name='a']`))).toBeUndefined();
  });

  it("keeps candidate and running separate until a commit", async () => {
    const memory = target();
    await memory.write([remove("address/entry[@name='b']")]);
    const path = parsePath(`${V}/address/entry[@name='b']`);
    expect(find(await memory.read([path], "candidate"), path)).toBeUndefined();
    expect(find(await memory.read([path], "running"), path)).toBeDefined();
    expect(await memory.pending()).toEqual([{ owner: "plumbline", xpath: `${V}/address`, action: "DELETE" }]);
    expect((await memory.commit({ description: "plumbline 1", partial: true }, silent)).outcome).toBe("committed");
    expect(find(await memory.read([path], "running"), path)).toBeUndefined();
    expect((await memory.commit({ description: "plumbline 2", partial: true }, silent)).outcome).toBe("nothing");
    expect((await memory.settleJobs("plumbline", silent)).map((job) => job.description)).toEqual(["plumbline 1"]);
  });

  it("commits and reverts only one administrator's work", async () => {
    const memory = target();
    memory.writeAs("other", [set("address", "<entry name='theirs'/>")]);
    await memory.write([set("address", "<entry name='ours'/>")]);
    await memory.commit({ description: "d", partial: true }, silent);
    const has = async (name: string, view: "candidate" | "running"): Promise<boolean> => {
      const path = parsePath(`${V}/address/entry[@name='${name}']`);
      return find(await memory.read([path], view), path) !== undefined;
    };
    expect([await has("ours", "running"), await has("theirs", "running"), await has("theirs", "candidate")]).toEqual([true, false, true]);
    await memory.write([set("address", "<entry name='more'/>")]);
    await memory.revert();
    expect([await has("more", "candidate"), await has("theirs", "candidate")]).toEqual([false, true]);
  });

  it("executes all of a batch or nothing if atomic, and otherwise everything before the failure", async () => {
    const batch = [remove("address/entry[@name='b']"), remove("address/entry[@name='nothing']")];
    const path = parsePath(`${V}/address/entry[@name='b']`);
    const atomic = target();
    await expect(atomic.write(batch)).rejects.toMatchObject({ code: "node-not-found" });
    expect(find(atomic.configurations.candidate, path)).toBeDefined();
    expect(await atomic.pending()).toEqual([]);
    const single = target({ capabilities: { atomicBatch: false } });
    await expect(single.write(batch)).rejects.toMatchObject({ code: "node-not-found" });
    expect(find(single.configurations.candidate, path)).toBeUndefined();
    expect(await single.pending()).toHaveLength(1);
  });

  it("refuses, after each operation, a dangling reference and an empty match list", async () => {
    const memory = target({ checkReferences: true });
    await expect(memory.write([remove("address/entry[@name='a']")])).rejects.toMatchObject({ code: "reference-unresolved" });
    await expect(memory.write([remove("rules/entry[@name='r']/source/member[text()='a']")])).rejects.toMatchObject({
      code: "match-list-empty",
    });
    const source = "rules/entry[@name='r']/source";
    await memory.write([set(source, "<member>b</member>"), remove(`${source}/member[text()='a']`), remove("address/entry[@name='a']")]);
    await memory.write([set(source, "<member>s</member>"), set(source, "<member>10.0.0.0/8</member>")]);
    await expect(memory.write([set(source, "<member>unknown</member>")])).rejects.toMatchObject({ code: "reference-unresolved" });
  });

  it("sees names of the own scope and of shared, not of other scopes", async () => {
    const other =
      "<config><vsys><entry name='v'><rules><entry name='r'><source><member>x</member></source></entry></rules></entry><entry name='w'><address><entry name='x'/></address></entry></vsys></config>";
    const memory = target({ tree: live(other), checkReferences: true });
    await expect(memory.write([set("rules/entry[@name='r']", "<description>d</description>")])).rejects.toMatchObject({
      code: "reference-unresolved",
    });
  });

  it("records author and time of writes", async () => {
    const memory = target();
    await memory.write([set("address/entry[@name='a']", "<fqdn>f</fqdn>")]);
    const path = parsePath(`${V}/address/entry[@name='a']/fqdn`);
    const node = find(await memory.read([path], "candidate"), path);
    expect(await memory.attribution(path, node)).toEqual({ admin: "plumbline", time: "2026/01/01 00:00:00" });
    expect(await memory.attribution(path, undefined)).toBeUndefined();
  });

  it("lets a second writer in just before a request", async () => {
    const beforeWrite = (memory: MemoryTarget): void => memory.writeAs("other", [remove("address/entry[@name='b']")]);
    await expect(target({ beforeWrite }).write([remove("address/entry[@name='b']")])).rejects.toMatchObject({ code: "node-not-found" });
  });

  it("has one lock", async () => {
    const memory = target();
    await memory.lock("ours", []);
    await expect(memory.lock("again", [])).rejects.toMatchObject({ code: "locked-by-other", severity: "refused" });
    await memory.unlock();
    memory.lockAs("other", "theirs");
    const [lock] = await memory.locks();
    expect(lock).toMatchObject({ owner: "other", comment: "theirs" });
    if (lock !== undefined) await memory.breakLock(lock);
    expect(await memory.locks()).toEqual([]);
  });

  it("saves the running configuration under a name", async () => {
    const memory = target();
    await memory.save("before");
    await memory.write([remove("address/entry[@name='b']")]);
    await memory.commit({ description: "d", partial: false }, silent);
    expect(find((await memory.load("before")) ?? live("<config/>"), parsePath(`${V}/address/entry[@name='b']`))).toBeDefined();
  });
});

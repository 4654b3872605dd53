import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../../src/core/secret.js";
import {
  cloneAt,
  cloneTree,
  deleteAt,
  editAt,
  moveAt,
  type Placement,
  renameAt,
  setAt,
  UndoLog,
} from "../../../../src/core/tree/edit/edit-tree.js";
import { childEntry, childMember } from "../../../../src/core/tree/lookup.js";
import { SecretLeaf, TreeNode } from "../../../../src/core/tree/node.js";
import { Path } from "../../../../src/core/tree/path.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { writeXml } from "../../../../src/core/tree/xml/write.js";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../../../src/desired/model.js";
import { plain } from "../arbitraries.js";

const xml = (node: TreeNode) => writeXml(node, { secrets: "label" });
const elements = (text: string) => parseXml(`<x>${text}</x>`).children;
const rules = parsePath("/config/rules");
const before = `<config><rules><entry name="a"><to><member>x</member></to><action>deny</action></entry><entry name="b"/><entry name="c"/></rules></config>`;

describe("setAt", () => {
  it.each<[string, string, string, string]>([
    ["adds a leaf", "/config/rules/entry[@name='b']", "<action>allow</action>", `<entry name="b"><action>allow</action></entry>`],
    ["updates a leaf", "/config/rules/entry[@name='a']", "<action>allow</action>", `<to><member>x</member></to><action>allow</action>`],
    [
      "appends members without doubling any",
      "/config/rules/entry[@name='a']/to",
      "<member>y</member><member>x</member>",
      `<to><member>x</member><member>y</member></to>`,
    ],
    [
      "merges an entry by name",
      "/config/rules",
      `<entry name="a"><to><member>z</member></to></entry>`,
      `<to><member>x</member><member>z</member></to><action>deny</action>`,
    ],
    ["appends a new entry last", "/config/rules", `<entry name="d"/>`, `<entry name="c"/><entry name="d"/></rules>`],
    ["takes several roots", "/config", "<a>1</a><b/><a>2</a>", `</rules><a>2</a><b/></config>`],
    ["makes missing steps", "/config/x/entry[@name='n']/y", "<z>1</z>", `<x><entry name="n"><y><z>1</z></y></entry></x>`],
    ["takes nothing away for an empty element", "/config/rules/entry[@name='a']", "<to/>", `<to><member>x</member></to>`],
    ["empties a leaf", "/config/rules/entry[@name='a']", "<action/>", `<action/></entry>`],
    ["turns a leaf into a container", "/config/rules/entry[@name='a']", "<action><alert/></action>", `<action><alert/></action></entry>`],
    ["joins attributes", "/config/rules", `<entry name="b" uuid="u"/>`, `<entry name="b" uuid="u"/>`],
    ["replaces mixed content whole", "/config/rules/entry[@name='a']", "<to>m<i/></to>", `<to>m<i/></to><action>deny</action>`],
  ])("%s", (_, at, added, expected) => {
    const root = parseXml(before);
    const log = new UndoLog();
    setAt(root, parsePath(at), elements(added), log);
    expect(xml(root)).toContain(expected);
    log.rollback();
    expect(xml(root)).toBe(before);
  });

  it("copies its argument, and keeps secrets of the desired state secret", () => {
    const secret = new SecretValue("pw", "${env:PW}");
    const root = parseXml("<config/>");
    const leaf = new DesiredNode("key", undefined, "${env:PW}", [], { origin: 0, prunes: true, declared: true, handling: { secret } });
    setAt(root, parsePath("/config/a"), [leaf], new UndoLog());
    expect(root.children[0]?.children[0]).toBeInstanceOf(SecretLeaf);
    setAt(root, parsePath("/config/a"), [new SecretLeaf("key", new SecretValue("new", "other"))], new UndoLog());
    expect(writeXml(root, { secrets: "reveal" })).toBe("<config><a><key>new</key></a></config>");
  });

  it("refuses a path of another tree", () => {
    expect(() => setAt(parseXml("<config/>"), parsePath("/other/a"), [], new UndoLog())).toThrow(
      expect.objectContaining({ code: "node-not-found" }),
    );
  });
});

describe("editAt", () => {
  it("replaces a node in place", () => {
    const root = parseXml(before);
    const log = new UndoLog();
    editAt(root, rules.entry("b"), new TreeNode("entry", "b", "", elements("<k>v</k>")), log);
    expect(xml(root)).toContain(`</entry><entry name="b"><k>v</k></entry><entry name="c"/>`);
    log.rollback();
    expect(xml(root)).toBe(before);
  });

  it("replaces a member by its text, and appends a missing one", () => {
    const root = parseXml(before);
    const to = rules.entry("a").child("to");
    editAt(root, to.member("x"), new TreeNode("member", undefined, "y"), new UndoLog());
    editAt(root, to.member("w"), new TreeNode("member", undefined, "w"), new UndoLog());
    expect(xml(root)).toContain("<to><member>y</member><member>w</member></to>");
  });

  it("refuses another tag, another name and the root", () => {
    const root = parseXml(before);
    const at = rules.entry("a");
    expect(() => editAt(root, at, new TreeNode("entry", "b"), new UndoLog())).toThrow(expect.objectContaining({ code: "edit-mismatch" }));
    expect(() => editAt(root, at, new TreeNode("rule", "a"), new UndoLog())).toThrow(expect.objectContaining({ code: "edit-mismatch" }));
    expect(() => editAt(root, parsePath("/config"), new TreeNode("config"), new UndoLog())).toThrow(
      expect.objectContaining({ code: "node-not-found" }),
    );
    expect(xml(root)).toBe(before);
  });
});

describe("moveAt", () => {
  const order = (placement: Placement, name: string) => {
    const root = parseXml(before);
    const log = new UndoLog();
    moveAt(root, rules.entry(name), placement, log);
    const names = root.children[0]?.children.map((entry) => entry.name).join("");
    log.rollback();
    expect(xml(root)).toBe(before);
    return names;
  };

  it.each<[string, Placement, string]>([
    ["c", { where: "top" }, "cab"],
    ["a", { where: "bottom" }, "bca"],
    ["a", { where: "after", anchor: "b" }, "bac"],
    ["a", { where: "before", anchor: "c" }, "bac"],
    ["c", { where: "before", anchor: "a" }, "cab"],
    ["c", { where: "after", anchor: "a" }, "acb"],
    ["b", { where: "after", anchor: "a" }, "abc"],
  ])("%s %o", (name, placement, expected) => {
    expect(order(placement, name)).toBe(expected);
  });

  it("refuses a missing anchor and the entry itself", () => {
    expect(() => order({ where: "after", anchor: "z" }, "a")).toThrow(expect.objectContaining({ code: "node-not-found" }));
    expect(() => order({ where: "after", anchor: "a" }, "a")).toThrow(expect.objectContaining({ code: "node-not-movable" }));
  });
});

describe("deleteAt, renameAt and cloneAt", () => {
  it("apply and undo", () => {
    const root = parseXml(before);
    const log = new UndoLog();
    expect(deleteAt(root, rules.entry("a"), log).name).toBe("a");
    renameAt(root, rules.entry("b"), "a", log);
    const copy = cloneAt(root, rules.entry("c"), "d", log);
    expect(xml(root)).toBe(`<config><rules><entry name="a"/><entry name="c"/><entry name="d"/></rules></config>`);
    expect(copy.name).toBe("d");
    log.rollback();
    expect(xml(root)).toBe(before);
  });

  it("refuse missing nodes and existing names", () => {
    const root = parseXml(before);
    const log = new UndoLog();
    expect(() => deleteAt(root, rules.entry("z"), log)).toThrow(
      expect.objectContaining({ code: "node-not-found", where: { xpath: "/config/rules/entry[@name='z']" } }),
    );
    expect(() => renameAt(root, rules.entry("a"), "b", log)).toThrow(expect.objectContaining({ code: "node-exists" }));
    expect(() => cloneAt(root, rules.entry("a"), "a", log)).toThrow(expect.objectContaining({ code: "node-exists" }));
    expect(log.mark).toBe(0);
  });
});

it("cloneTree shares no data that an edit changes", () => {
  const root = parseXml(before);
  const copy = cloneTree(root);
  expect(plain(copy)).toEqual(plain(root));
  setAt(copy, rules.entry("b"), elements("<k/>"), new UndoLog());
  deleteAt(copy, rules.entry("a"), new UndoLog());
  expect(xml(root)).toBe(before);
});

describe("random edits of a long list", () => {
  const name = fc.nat({ max: 24 }).map((number) => `n${number}`);
  const step = fc.oneof(
    fc.record({ do: fc.constant("set" as const), name, text: fc.constantFrom("1", "2") }),
    fc.record({ do: fc.constant("member" as const), name }),
    fc.record({ do: fc.constant("edit" as const), name, text: fc.constantFrom("3", "4") }),
    fc.record({ do: fc.constant("delete" as const), name }),
    fc.record({ do: fc.constant("rename" as const), name, to: name }),
    fc.record({ do: fc.constant("clone" as const), name, to: name }),
    fc.record({ do: fc.constant("move" as const), name, where: fc.constantFrom("top" as const, "bottom" as const) }),
    fc.record({ do: fc.constant("place" as const), name, where: fc.constantFrom("before" as const, "after" as const), anchor: name }),
  );
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
  const list = Path.root.child("list");

  function perform(root: TreeNode, what: Step, log: UndoLog): void {
    const at = list.entry(what.name);
    if (what.do === "set") setAt(root, list, elements(`<entry name="${what.name}"><v>${what.text}</v></entry>`), log);
    else if (what.do === "member") setAt(root, list, elements(`<member>${what.name}</member>`), log);
    else if (what.do === "edit") editAt(root, at, new TreeNode("entry", what.name, what.text), log);
    else if (what.do === "delete") deleteAt(root, at, log);
    else if (what.do === "rename") renameAt(root, at, what.to, log);
    else if (what.do === "clone") cloneAt(root, at, what.to, log);
    else moveAt(root, at, what.do === "move" ? { where: what.where } : { where: what.where, anchor: what.anchor }, log);
  }

  it("keep the index valid, and roll back to any mark", () => {
    let performed = 0;
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { minLength: 5, maxLength: 30, size: "max" }), fc.nat(), (mixed, steps, stop) => {
        const root = parseXml(
          `<list>${mixed ? "<member>n1</member>" : ""}${Array.from({ length: 16 }, (_, index) => `<entry name="n${index}"/>`).join("")}</list>`,
        );
        const log = new UndoLog();
        const states: [number, string][] = [];
        for (const what of steps) {
          states.push([log.mark, xml(root)]);
          try {
            perform(root, what, log);
            performed++;
          } catch (error) {
            expect(error).toMatchObject({ code: expect.stringMatching(/^node-/) });
            expect(xml(root)).toBe(states.at(-1)?.[1]);
          }
          const fresh = parseXml(xml(root));
          for (let number = 0; number <= 24; number++) {
            const found = childEntry(root, `n${number}`);
            expect(found === undefined ? -1 : root.children.indexOf(found)).toBe(
              fresh.children.findIndex((child) => child.name === `n${number}`),
            );
            expect(childMember(root, `n${number}`) !== undefined).toBe(
              fresh.children.some((child) => child.tag === "member" && child.text === `n${number}`),
            );
          }
        }
        const [mark, text] = states[stop % Math.max(1, states.length)] ?? [0, xml(root)];
        log.rollback(mark);
        expect(xml(root)).toBe(text);
        for (const child of root.children) if (child.name !== undefined) expect(childEntry(root, child.name)).toBe(child);
      }),
      { numRuns: 200 },
    );
    expect(performed).toBeGreaterThan(1000);
  });
});

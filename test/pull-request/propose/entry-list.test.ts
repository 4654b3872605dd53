import { describe, expect, it } from "vitest";
import { mapping, text } from "../../../src/import/value.js";
import { parseYaml, writeYaml } from "../../../src/import/yaml.js";
import { EntryList } from "../../../src/pull-request/propose/entry-list.js";

function edited(yaml: string, edit: (list: EntryList) => void): string {
  const document = parseYaml(yaml);
  const list = new EntryList(document.contents);
  edit(list);
  list.flush();
  return writeYaml(document);
}
const body = (value: string) => mapping([["action", text(value)]], true);

describe("entries of a list", () => {
  it("are added after their predecessors, in the form of the list", () => {
    const yaml = "# rules\n- name: a # first\n  action: allow\n\n- name: d\n  action: deny\n";
    const text = edited(yaml, (list) => {
      list.add({ name: "b", body: body("x"), after: "a", indent: 0 });
      list.add({ name: "c", body: body("y"), after: "b", indent: 0 });
      list.add({ name: "top", body: body("z"), after: "", indent: 0 });
    });
    expect([...text.matchAll(/name: (\w+)/g)].map(([, name]) => name)).toEqual(["top", "a", "b", "c", "d"]);
    expect(text).toContain("name: a # first");
  });

  it("are plain names in a list of names, and keys in a map", () => {
    expect(edited("[a, b]\n", (list) => list.add({ name: "c", body: mapping([], true), after: undefined, indent: 0 }))).toBe("[a, b, c]\n");
    expect(edited("a: { action: x } # one\n", (list) => list.add({ name: "b", body: body("y"), after: undefined, indent: 0 }))).toBe(
      "a: { action: x } # one\nb: { action: y }\n",
    );
  });

  it("have their keys in the order of the other entries, unless these contradict each other", () => {
    const entry = mapping(
      ["from", "to", "source", "action"].map((key) => [key, text(key)]),
      false,
    );
    const keys = (yaml: string) => {
      const out = edited(yaml, (list) => list.add({ name: "new", body: entry, after: "", indent: 0 }));
      return [...(out.split("- name: old")[0] ?? "").matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key);
    };
    const old = (name: string, ...fields: string[]) => `- name: old-${name}\n${fields.map((field) => `  ${field}: x\n`).join("")}`;
    expect(keys(old("a", "action", "to", "from") + old("b", "action", "source"))).toEqual(["action", "to", "from", "source"]);
    expect(keys(old("a", "action", "to", "from") + old("b", "to", "action"))).toEqual(["from", "to", "source", "action"]);
    expect(keys(old("a", "log"))).toEqual(["from", "to", "source", "action"]);
  });

  it("keep their comments, and follow the live order", () => {
    const yaml = "- name: a\n# about b\n- name: b\n- $position: odd\n- name: c\n";
    const text = edited(yaml, (list) => {
      list.remove("a");
      list.reorder(["c", "b"]);
    });
    expect(text).toBe("- name: c\n- $position: odd\n# about b\n- name: b\n");
  });

  it.each([
    { form: "sequence", line: (name: string) => `  - name: ${name}` },
    { form: "map", line: (name: string) => `  ${name}: { action: x }` },
  ])("are removed with the comments directly above them, and without comments above a blank line: $form", ({ line }) => {
    const entry = (name: string) => `  # --- ${name} ---\n\n  # about ${name}\n${line(name)}\n`;
    const yaml = `rules:\n${["a", "b", "c", "d"].map(entry).join("\n")}`;
    const left = (...removed: readonly string[]) => {
      const document = parseYaml(yaml);
      const list = new EntryList(document.get("rules"));
      for (const name of removed) list.remove(name);
      list.flush();
      return (writeYaml(document).match(/#.*|name: .|.(?=: \{)/g) ?? []).map((text) => text.replace("name: ", ""));
    };
    const all = (name: string) => [`# --- ${name} ---`, `# about ${name}`, name];
    expect(left("b", "c")).toEqual([...all("a"), "# --- b ---", "# --- c ---", ...all("d")]);
    expect(left("a")).toEqual(["# --- a ---", ...all("b"), ...all("c"), ...all("d")]);
    expect(left("d")).toEqual([...all("a"), ...all("b"), ...all("c"), "# --- d ---"]);
  });

  it("cannot be added twice, nor to a map if the order matters", () => {
    expect(() => edited("a: {}\n", (list) => list.add({ name: "a", body: body("x"), after: undefined, indent: 0 }))).toThrow("already");
    expect(() => edited("a: {}\n", (list) => list.add({ name: "b", body: body("x"), after: "a", indent: 0 }))).toThrow("without an order");
    expect(() => new EntryList(parseYaml("text\n").contents)).toThrow("form");
  });

  it("can be many without slow or deep processing", () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `n${i}`);
    const document = parseYaml("- name: first\n");
    const list = new EntryList(document.contents);
    let after = "first";
    for (const name of names) {
      list.add({ name, body: body("x"), after, indent: 0 });
      after = name;
    }
    for (const name of names.slice(0, 10_000)) list.has(name);
    list.flush();
    expect(list.holder.items).toHaveLength(20_001);
    expect(list.holder.items.at(-1)).toMatchObject({ items: [{ value: { value: "n19999" } }, {}] });
  });
});

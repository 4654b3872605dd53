import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Path } from "../../../src/core/tree/path.js";
import type { Shape } from "../../../src/core/tree/shape.js";
import { type FieldPlace, fieldAt } from "../../../src/desired/field-table.js";
import { checkText } from "../../../src/desired/leaf-types.js";
import { panosFields, panosShape } from "../../../src/targets/panos/shape.js";
import { leaveOut } from "../../left-out.js";

const FACTS = new URL("../../../../shared/facts/panos-tree.json", import.meta.url);
const DEVICE = "/config/devices/entry";
const VSYS = `${DEVICE}/vsys/entry`;

/** The shape at a path of bare tags, `/config` first. */
function at(path: string): Shape {
  const [, , ...tags] = path.split("/");
  return tags.reduce((shape, tag) => shape.child(tag), panosShape());
}

describe("panosShape", () => {
  it("knows rulebases anywhere", () => {
    const rulebases = [
      `${VSYS}/rulebase`,
      "/config/shared/pre-rulebase",
      `${DEVICE}/device-group/entry/post-rulebase`,
      `${DEVICE}/template/entry/config/devices/entry/vsys/entry/rulebase`,
      "/config/never/heard/of/pre-rulebase",
    ];
    for (const rulebase of rulebases) {
      for (const kind of ["security", "nat", "decryption", "a-rulebase-of-tomorrow"]) {
        const rules = at(`${rulebase}/${kind}/rules`);
        expect([rules.kind, rules.ordered, rules.uuid], `${rulebase}/${kind}`).toEqual(["list", true, true]);
        expect(rules.child("entry").kind).toBe("entry");
      }
    }
    expect(at(`${VSYS}/rulebase/default-security-rules/rules`).ordered).toBe(false);
  });

  it("distinguishes equal names by place", () => {
    expect(at(`${VSYS}/rulebase/nat/rules/entry/service`).kind).toBe("leaf");
    expect(at(`${VSYS}/rulebase/security/rules/entry/service`).kind).toBe("members");
    expect(at(`${VSYS}/service`).kind).toBe("list");
  });

  it("defines the meaning of an empty match list, and other writers of imports", () => {
    for (const tag of ["from", "to", "source", "destination", "source-user", "application", "service", "category"]) {
      expect(at(`${VSYS}/rulebase/security/rules/entry/${tag}`).matchList, tag).toBe(true);
    }
    expect(at(`${VSYS}/import/network/interface`).sharedMembers).toBe(true);
  });

  it("defines which entries are only containers", () => {
    const structural = [DEVICE, VSYS, `${DEVICE}/template/entry`, `${DEVICE}/template-stack/entry`, `${DEVICE}/device-group/entry`];
    structural.push(`${DEVICE}/network/virtual-router/entry`, `${DEVICE}/network/interface/ethernet/entry`);
    for (const path of structural) expect(at(path).structural, path).toBe(true);
    expect(at(`${VSYS}/address/entry`).structural).toBe(false);
  });

  it("defines alternatives, and defaults of absent leaves", () => {
    const address = at(`${VSYS}/address/entry`);
    expect(address.child("ip-netmask").choice).toBe(address.child("fqdn").choice);
    expect(address.child("description").choice).toBeUndefined();
    expect(at(`${VSYS}/rulebase/security/rules/entry/log-end`).default).toBe("yes");
    expect(at(`${VSYS}/zone/entry/network/layer3`).emptyIsAbsent).toBe(false);
    expect(at(`${VSYS}/address`).emptyIsAbsent).toBe(true);
    expect(at(`${VSYS}/profiles/spyware/entry/rules/entry/action/alert`).emptyIsAbsent).toBe(false);
  });

  it("defines dependencies", () => {
    expect(at(`${VSYS}/address`).defines).toBe("address");
    expect(at(`${VSYS}/address`).namespace).toBe(at(`${VSYS}/address-group`).namespace);
    expect(at(`${VSYS}/rulebase/security/rules/entry/source`).references).toContain("address-group");
    expect(at(`${VSYS}/rulebase/security/rules/entry/source`).reserved.has("any")).toBe(true);
    expect(at(`${DEVICE}/network/interface/ethernet/entry/layer3/ip/entry`).references).toEqual(["address"]);
    expect(at(VSYS).scope).toBe(true);
    expect(at("/config/shared").globalScope).toBe(true);
    expect(at(`${DEVICE}/template/entry/config/shared`).scope).toBe(true);
  });

  it("has a defining list for every reference", () => {
    const defined = new Set<string>();
    const referred = new Set<string>();
    const seen = new Set<Shape>();
    const walk = (shape: Shape, depth: number) => {
      if (seen.has(shape) || depth > 20) return;
      seen.add(shape);
      if (shape.defines !== undefined) defined.add(shape.defines);
      for (const kind of shape.references) referred.add(kind);
      for (const tag of shape.knownTags) if (tag !== "template" && tag !== "template-stack") walk(shape.child(tag), depth + 1);
    };
    walk(panosShape(), 0);
    const frames = new Set(["template", "template-stack"]);
    expect([...referred].filter((kind) => !defined.has(kind) && !frames.has(kind))).toEqual([]);
    expect(seen.size).toBeGreaterThan(500);
  });

  it("covers unknown paths at any depth", () => {
    const below = at("/config/mars/entry/constructor/__proto__/x");
    expect(below.kind).toBe("unknown");
    expect(below.child("y").knownTags).toEqual([]);
    expect(at("/config/mars/phash").secret).toBe(true);
  });
});

const known = existsSync(FACTS);
if (!known) leaveOut("shapes compared with a device's own tree: ../shared is not beside the checkout");

describe.skipIf(!known)("panosShape compared with a device's own tree", () => {
  const facts = known ? JSON.parse(readFileSync(FACTS, "utf8")) : {};

  it("marks every ordered list", () => {
    expect(facts.ordered_lists.filter((path: string) => !at(path).ordered)).toEqual([]);
  });

  it("marks every encrypted leaf", () => {
    expect(facts.encrypted_leaves.filter((path: string) => !at(path).secret)).toEqual([]);
  });

  it("marks every list whose entries have a uuid", () => {
    expect(facts.needs_uuid_lists.filter((path: string) => !at(path).uuid)).toEqual([]);
  });

  it("knows the form of every referring leaf", () => {
    const forms = Object.keys(facts.references).map((path) => [path, at(`${DEVICE}/${path.replace(/\/member$/, "")}`).kind]);
    expect(forms.filter(([, form]) => form === "unknown")).toEqual([]);
  });
});

const NO_TEXT = "\u0000";

/** Every row with a constraint on a value, with the tags that lead to it. */
function rowsOf(row: unknown, above: string, into: Map<string, string> = new Map()): Map<string, string> {
  if (typeof row === "string") into.set(above, row);
  else if (typeof row === "object" && row !== null && !Array.isArray(row))
    for (const [key, below] of Object.entries(row))
      if (key !== "$needs" && key !== "$soon" && key !== "$use") rowsOf(below, `${above}/${key}`, into);
  return into;
}

const { types } = JSON.parse(readFileSync("schemas/panos.values.json", "utf8")) as { types: Record<string, unknown> };
const rows = [...rowsOf(types, "")];

describe("panosFields", () => {
  it("has about 1,700 fields", () => {
    expect(rows.flatMap(([place]) => (place.split("/").at(-1) ?? "").split(",")).length).toBeGreaterThan(1_600);
  });

  it.each([...new Set(rows.map(([, row]) => row).filter((row) => !row.startsWith("@")))])("is consistent: %s", (row) => {
    for (const word of row.split(" ")) {
      if (word === "yes-no") continue;
      if (word.includes("|")) {
        const words = word.split("|").filter((each) => each !== "");
        expect(new Set(words).size).toBe(words.length);
        expect(words.length).toBeGreaterThan(0);
      } else if (word.includes("..")) {
        const [from = "", to = ""] = word.replace("decimal:", "").split("..");
        if (from !== "" && to !== "") expect(Number(from)).toBeLessThan(Number(to));
      } else if (!/^(?:[1-9][0-9]*c|most:[1-9][0-9]*|alone:[a-z-]+)$/.test(word))
        expect(checkText(word, NO_TEXT), `${word} is a type`).toBeDefined();
    }
  });

  it("allows as many members as the shape of each list", () => {
    const compared: (readonly [string, number | undefined, number | undefined])[] = [];
    const walk = (shape: Shape, place: FieldPlace | undefined, path: string): void => {
      const most = place?.field?.most;
      if (most !== undefined || (shape.most !== undefined && place?.field !== undefined)) compared.push([path, most, shape.most]);
      for (const tag of shape.knownTags)
        if (tag !== "member" && !path.includes("/template") && path.split("/").length < 12)
          walk(shape.child(tag), place?.child(tag), `${path}/${tag}`);
    };
    walk(panosShape(), panosFields(), "");
    expect(compared.filter(([, most, ofShape]) => most !== ofShape)).toEqual([]);
    expect(compared.length).toBeGreaterThan(10);
  });

  it("names existing types", () => {
    for (const [place, row] of rows) if (row.startsWith("@")) expect(types, place).toHaveProperty([row.slice(1)]);
  });

  it("is found in shared, virtual systems, device groups and templates alike", () => {
    const devices = Path.root.child("config").child("devices").entry("localhost.localdomain");
    const template = devices.child("template").entry("T").child("config");
    for (const scope of [
      Path.root.child("config").child("shared"),
      devices.child("vsys").entry("vsys1"),
      devices.child("device-group").entry("DG"),
      template.child("shared"),
      template.child("devices").entry("localhost.localdomain").child("vsys").entry("vsys1"),
    ])
      for (const base of ["rulebase", "pre-rulebase", "post-rulebase"])
        expect(fieldAt(panosFields(), scope.child(base).child("security").child("rules").entry("r").child("action"))?.words).toContain(
          "allow",
        );
  });
});

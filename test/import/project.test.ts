import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { filesOf, folder, load, runImport } from "./support.js";

const live = () => parseXml(readFileSync(new URL("fixtures/branch.xml", import.meta.url), "utf8"));
const CONFIGURATION = (documents: string) =>
  `format: 1\nowner: us # by hand\ndocuments: ${documents}\ntargets:\n  core: { kind: panos, url: "https://192.0.2.9", credentials: { username: "\${env:PLUMBLINE_TARGET_FIREWALL_USER}", password: "\${env:PLUMBLINE_TARGET_FIREWALL_PASSWORD}" }, mode: observe }\n`;
const CORE = "target: core\nscope: vsys1\nconfig:\n  address:\n    mine: { ip-netmask: 192.0.2.1 }\n";

/** A project with documents of another target in `network`. */
function project(documents = "[network]"): string {
  const root = folder();
  mkdirSync(join(root, "network/core"), { recursive: true });
  writeFileSync(join(root, "plumbline.yaml"), CONFIGURATION(documents));
  writeFileSync(join(root, "network/core/address.yaml"), CORE);
  return root;
}

const configurations = (root: string) => [...filesOf(root).keys()].filter((file) => file.endsWith("plumbline.yaml"));

describe("import into a documents folder", () => {
  it("writes into the existing project and creates no second one", async () => {
    const root = project();
    const { root: written } = runImport(live(), join(root, "network"));
    expect([written, configurations(root)]).toEqual([root, ["plumbline.yaml"]]);
    expect(existsSync(join(root, "network/firewall/vsys1/address.yaml"))).toBe(true);
    const configuration = readFileSync(join(root, "plumbline.yaml"), "utf8");
    expect(configuration).toContain("owner: us # by hand");
    expect(configuration).toMatch(/documents: \[ ?network ?\]/);
    expect(configuration).toContain("firewall:");
    expect(readFileSync(join(root, "network/core/address.yaml"), "utf8")).toBe(CORE);
    expect((await load(root)).root.children.length).toBeGreaterThan(0);
  });

  it.each([
    ["the folder of the target itself", "network/firewall", "network/firewall/vsys1/address.yaml"],
    ["a folder below that is not there yet", "network/north", "network/north/firewall/vsys1/address.yaml"],
  ])("%s is taken as it is meant", (_, out, file) => {
    const root = project();
    runImport(live(), join(root, out));
    expect([configurations(root), existsSync(join(root, file))]).toEqual([["plumbline.yaml"], true]);
  });

  it("is idempotent, also if the folder contains only the documents of the target", () => {
    const root = project("[.]");
    runImport(live(), join(root, "network/firewall"));
    const before = filesOf(root);
    expect(runImport(live(), join(root, "network/firewall"))).toMatchObject({ written: [], removed: [] });
    expect(runImport(live(), join(root, "network"))).toMatchObject({ written: [], removed: [] });
    expect(filesOf(root)).toEqual(before);
  });

  it("does not overwrite documents of another target", () => {
    const root = project();
    mkdirSync(join(root, "network/firewall/vsys1"), { recursive: true });
    writeFileSync(join(root, "network/firewall/vsys1/address.yaml"), CORE);
    expect(() => runImport(live(), join(root, "network"))).toThrow("is not a document of this target");
    expect(readFileSync(join(root, "network/firewall/vsys1/address.yaml"), "utf8")).toBe(CORE);
  });

  it("creates a separate project for a folder next to the documents", () => {
    const root = project();
    runImport(live(), join(root, "mine"));
    expect(configurations(root).sort()).toEqual(["mine/plumbline.yaml", "plumbline.yaml"]);
  });
});

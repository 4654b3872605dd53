import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { leaveOut } from "../left-out.js";
import { desiredText, differences, folder, imported, liveText, load, makeExclusive, runImport, SHARED } from "./support.js";

const OWN = new URL("fixtures/", import.meta.url);

function xmlFiles(folder: URL): [string, URL][] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".xml"))
        .map((name) => [name, new URL(name, folder)])
    : [];
}

const shared = xmlFiles(SHARED);
if (shared.length === 0) leaveOut("import of configurations of real devices: ../shared/data/panos is not beside the checkout");

describe("import, then load", () => {
  it.each([...xmlFiles(OWN), ...shared])("returns the live tree of %s, node for node", async (_, file) => {
    const live = parseXml(readFileSync(file));
    const out = folder();
    const { xmlNodes } = runImport(live, out);
    const desired = await load(out);
    expect(desiredText(desired.root)).toBe(liveText(live));
    expect(differences(desired, live)).toEqual([]);
    expect(xmlNodes).toBe(0);
    makeExclusive(out);
    expect(differences(await load(out), imported(live))).toEqual([]);
  });
});

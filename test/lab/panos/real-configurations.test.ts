import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { quote } from "../../../src/core/tree/path.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { toXml } from "../../../src/lab/panos/tree/serialise.js";
import { admin } from "./support.js";

const FOLDER = new URL("../../../../shared/data/panos/", import.meta.url);
const OWN = new URL("../../../desired-state/lab/edge.xml", import.meta.url);
const isThere = existsSync(FOLDER);
const files = [
  OWN,
  ...(isThere
    ? readdirSync(FOLDER)
        .filter((name) => name.endsWith(".xml"))
        .map((name) => new URL(name, FOLDER))
    : []),
];
if (!isThere) console.info("shared/data/panos does not lie beside the checkout: only our own configuration is tried.");

/** Every node with children, with its XPath, the outermost first. */
function* containers(node: TreeNode, xpath: string): Generator<readonly [string, TreeNode]> {
  for (const child of node.children) {
    if (child.children.length === 0) continue;
    const at = `${xpath}/${child.tag}${child.name === undefined ? "" : `[@name=${quote(child.name)}]`}`;
    yield [at, child];
    yield* containers(child, at);
  }
}

/** Rules without a uuid got one, and the placeholders of secrets were encrypted. */
function comparable(root: TreeNode): string {
  return toXml(root)
    .replaceAll(/ uuid="[^"]*"/g, "")
    .replaceAll(/>(?:REDACTED[^<]*|\$5\$[^<]*|-AQ==[^<]*)</g, ">secret<");
}

describe("a device accepts its own configuration", () => {
  it.each(files.map((file) => [file.pathname.split("/").at(-1) ?? "", file] as const))("%s", async (_, file) => {
    const config = readFileSync(file, "utf8");
    const { client, clock } = await admin({ config, strict: true });
    const root = parseXml(config);
    const refused: string[] = [];
    for (const [xpath, node] of containers(root, "/config")) {
      const reply = client.device.act("admin", { type: "config", action: "edit", xpath, element: toXml(node) });
      if (reply.code !== "20") refused.push(`${xpath}: ${reply.message}`);
    }
    expect(refused).toEqual([]);
    expect(client.state.violations).toEqual([]);
    expect(comparable(client.state.candidate.tree.root) === comparable(root)).toBe(true);
    await client.commit();
    clock.advance(1000);
    client.state.jobs.advance();
    expect(client.state.commits.map(({ ok, lines }) => [ok, lines])).toEqual([[true, ["Configuration committed successfully"]]]);
  });
});

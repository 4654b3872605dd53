import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { find } from "../../../src/core/tree/lookup.js";
import { SecretLeaf, TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { openMemoryReader, openMemoryWriter } from "../../../src/targets/memory/open-memory.js";
import { handsOn } from "../hands-on.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-memory-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function configuration() {
  return {
    kind: "memory",
    name: "m",
    folder,
    file: join(folder, "tree.xml"),
    mode: "enforce",
    rewriteLists: "never",
    approve: "none",
  } as const;
}

const ENTRY = parsePath("/config/shared/address/entry[@name='a']");

describe("a tree in a file", () => {
  it("is read when opened, and keeps written content for the next run", async () => {
    await writeFile(configuration().file, "<config><shared><address><entry name='a'><fqdn>f</fqdn></entry></address></shared></config>");
    const target = handsOn(openMemoryWriter(configuration()));
    const { capabilities } = await target.open();
    expect(capabilities).toMatchObject({ candidate: false, locks: false, atomicBatch: true });
    await target.write([{ action: "delete", at: ENTRY }]);
    const again = openMemoryReader(configuration());
    await again.open();
    expect(find(await again.read([ENTRY], "candidate"), ENTRY)).toBeUndefined();
  });

  it("types stored secrets, and writes them back completely", async () => {
    await writeFile(
      configuration().file,
      "<config><mgt-config><users><entry name='u'><phash>$5$abc$defghi</phash></entry></users></mgt-config></config>",
    );
    const target = handsOn(openMemoryWriter(configuration()));
    await target.open();
    const path = parsePath("/config/mgt-config/users/entry[@name='u']/phash");
    expect(find(await target.read([path], "candidate"), path)).toBeInstanceOf(SecretLeaf);
    const user = path.parent as typeof path;
    expect(JSON.stringify(find(await target.read([user], "candidate"), user))).not.toContain("defghi");
    await target.write([{ action: "set", at: parsePath("/config/shared"), element: new TreeNode("tag") }]);
    expect(await readFile(configuration().file, "utf8")).toContain("$5$abc$defghi");
  });

  it("refuses a missing file, and a truncated file", async () => {
    await expect(openMemoryReader(configuration()).open()).rejects.toMatchObject({ code: "memory-file-unreadable" });
    await writeFile(configuration().file, "<config><shared><address>");
    await expect(openMemoryReader(configuration()).open()).rejects.toThrow();
  });
});

import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { SecretLeaf, TreeNode } from "../../../src/core/tree/node.js";
import { isDeviceSecret, protectSecrets, STORED_SECRET } from "../../../src/core/tree/stored-secrets.js";
import { panosShape } from "../../../src/targets/panos/shape.js";

const CIPHERTEXT = "-AQ==9Yz0Xb2kQ1mR4sT7uV8wX3yZ6aB=5cD1eF2gH3iJ4kL5mN6oP7==";

describe("isDeviceSecret", () => {
  it.each([
    CIPHERTEXT,
    "$1$abcdefgh$0123456789abcdefghijkl",
    "$5$salt$hashhash",
    "$6$rounds=5000$salt$hash",
    `${CIPHERTEXT}\n`,
    `\n    ${CIPHERTEXT}`,
  ])("%j", (text) => {
    expect(isDeviceSecret(text)).toBe(true);
  });

  it.each(["", "-AQ==", "-", "$1", "$1$only", "${env:X}", "$100$", "price $5$", "plain"])("not %j", (text) => {
    expect(isDeviceSecret(text)).toBe(false);
  });
});

describe("protectSecrets", () => {
  const leaf = (tag: string, text: string) => new TreeNode(tag, undefined, text);
  const tree = () =>
    new TreeNode("config", undefined, "", [
      new TreeNode("mgt-config", undefined, "", [
        new TreeNode("users", undefined, "", [new TreeNode("entry", "admin", "", [leaf("phash", "hunter2"), leaf("public-key", "c3No")])]),
      ]),
      new TreeNode("mars", undefined, "", [leaf("text", CIPHERTEXT), leaf("text", "open"), leaf("member", CIPHERTEXT), leaf("phash", "")]),
      new TreeNode("shared", undefined, "", [
        new TreeNode("certificate", undefined, "", [new TreeNode("entry", "ca", "", [leaf("private-key", "PEM")])]),
      ]),
    ]);

  it("marks leaves by path and by text only", () => {
    const root = tree();
    expect(protectSecrets(root, panosShape())).toBe(root);
    const found: string[] = [];
    const walk = (node: TreeNode) => {
      if (node instanceof SecretLeaf) found.push(`${node.tag}=${node.secret.reveal()}`);
      for (const child of node.children) walk(child);
    };
    walk(root);
    expect(found).toEqual(["phash=hunter2", `text=${CIPHERTEXT}`, "private-key=PEM"]);
    const shown = `${JSON.stringify(root)}${inspect(root, { depth: 20 })}`;
    for (const secret of ["hunter2", "PEM"]) expect(shown).not.toContain(secret);
    expect(shown).toContain(STORED_SECRET);
  });

  it("keeps attributes and names, and is idempotent", () => {
    const entry = new TreeNode("entry", "odd", CIPHERTEXT, [], new Map([["admin", "bob"]]));
    const root = protectSecrets(new TreeNode("config", undefined, "", [entry]), panosShape());
    const marked = root.children[0];
    expect([marked?.name, marked?.attributes?.get("admin"), marked?.text]).toEqual(["odd", "bob", ""]);
    protectSecrets(root, panosShape());
    expect(root.children[0]).toBe(marked);
  });
});

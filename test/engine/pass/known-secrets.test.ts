import { expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { protectKnownSecrets } from "../../../src/engine/pass/known-secrets.js";
import type { OnDoubt } from "../../../src/engine/target.js";
import type { View } from "../../../src/plan/platform.js";

it("omits a doubtful part of a target whose ledger has secrets, like of any other", async () => {
  const list = parsePath("/config/shared/address");
  const doubt = new PlumblineError("empty-read-not-believed", "/config/shared holds it");
  const target = {
    read: async (_subtrees: unknown, _view: View, onDoubt?: OnDoubt) => {
      if (onDoubt === undefined) throw doubt;
      onDoubt(list, doubt);
      return new TreeNode("config");
    },
  };
  const secrets = { "/config/shared/password": { plain: "p", stored: "s" } };
  protectKnownSecrets(target, { owner: "o", target: "t", commit: "c", paths: [], adopted: [], secrets });
  const told: string[] = [];
  await target.read([list], "candidate", (path) => void told.push(path.toString()));
  expect(told).toEqual([list.toString()]);
});

import { expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { refuseUnsureGround } from "../../src/guards/findings.js";
import type { Finding } from "../../src/plan/diff/change.js";
import { contextOf } from "./support.js";

it("findings that refuse have their kind as code, and other findings do not refuse", () => {
  const path = parsePath("/config/shared");
  const finding = (kind: Finding["kind"], refuses: boolean): Finding => ({ kind, path, message: `it is ${kind}`, origin: -1, refuses });
  const findings = [finding("shadowed", false), finding("duplicate", true)];
  expect(refuseUnsureGround(contextOf({ findings }))).toEqual([{ guard: "duplicate", message: "it is duplicate", path, allow: undefined }]);
});

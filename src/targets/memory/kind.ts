import type { DesiredKind } from "../../desired/kind.js";
import type { KindGuards } from "../../plan/model.js";
import { panosKind } from "../panos/kind.js";

/** A firewall's tree without a firewall: the same places, shapes and names. */
export const memoryKind: DesiredKind = { ...panosKind, kind: "memory" };

/** A tree in a file locks nobody out and lets nothing through. */
export const memoryGuards: KindGuards = {
  management: () => undefined,
  meaning: () => undefined,
  neverPruned: () => false,
};

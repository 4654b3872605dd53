import type { TargetKind } from "../../engine/target-kind.js";
import type { KindGuards } from "../../plan/model.js";
import { panosTree } from "../panos/kind.js";
import { panosShape } from "../panos/shape.js";
import { type MemoryTargetConfiguration, memorySettings } from "./settings.js";

/**
 * A tree in a file cannot lock anyone out or allow traffic.
 * @internal Exported for tests of plans without a target.
 */
export const memoryGuards: KindGuards = {
  management: () => undefined,
  meaning: () => undefined,
  neverPruned: () => false,
};

/** A firewall's tree in a file, with the same places, shapes and names. */
export const memoryKind: TargetKind<MemoryTargetConfiguration> = {
  ...panosTree,
  kind: "memory",
  settings: memorySettings,
  guards: memoryGuards,
  get shape() {
    return panosShape();
  },
  async connect() {
    const { openMemoryReader, openMemoryWriter } = await import("./open-memory.js");
    return { reader: openMemoryReader, writer: openMemoryWriter };
  },
};

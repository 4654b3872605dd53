import type { ReadTarget } from "../../engine/target.js";
import { FileTarget } from "./file-target.js";
import type { MemoryTargetConfiguration } from "./settings.js";

/** Opens a tree in an XML file for reading. The file is read when the target is opened. */
export function openMemoryReader(configuration: MemoryTargetConfiguration): ReadTarget {
  return new FileTarget(configuration);
}

/** Opens a tree in an XML file for writing. Each write replaces the file immediately. */
export function openMemoryWriter(configuration: MemoryTargetConfiguration): FileTarget {
  return new FileTarget(configuration);
}

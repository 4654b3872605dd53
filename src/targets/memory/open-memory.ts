import type { ReadTarget } from "../../engine/target.js";
import { FileTarget } from "./file-target.js";
import type { MemoryTargetConfiguration } from "./settings.js";

/** A tree in an XML file, to look at. The file is read when the target is opened. */
export function openMemoryReader(configuration: MemoryTargetConfiguration): ReadTarget {
  return new FileTarget(configuration);
}

/** A tree in an XML file, to write: each request replaces the file at once. */
export function openMemoryWriter(configuration: MemoryTargetConfiguration): FileTarget {
  return new FileTarget(configuration);
}

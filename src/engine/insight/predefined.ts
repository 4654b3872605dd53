import type { TreeNode } from "../../core/tree/node.js";
import type { PolicyOptions, PolicyRole } from "../policies.js";
import type { ReadTarget } from "../target.js";

type Reader = Awaited<ReturnType<PolicyRole["load"]>>;

/** Reads the definitions of applications that questions name and no tree declares. Undefined if none are needed. */
export async function predefinedFor(
  reader: Reader,
  trees: readonly TreeNode[],
  applications: readonly string[],
  target: Pick<ReadTarget, "resolver"> | undefined,
): Promise<PolicyOptions["predefined"]> {
  const names = applications.length === 0 ? [] : (reader.predefinedNames?.(trees, applications) ?? []);
  return names.length === 0 ? undefined : await target?.resolver?.applications(names);
}

import { find } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import type { DesiredTarget } from "../desired/model.js";
import type { Location } from "../desired/source-map.js";

/** File and line of the node that a document declares at a path. */
export function declaredAt({ root, sources }: DesiredTarget, path: Path): Location | undefined {
  const node = find(root, path);
  return node === undefined ? undefined : sources.locate(node.origin);
}

import { PlumblineError } from "../core/errors.js";
import type { Path } from "../core/tree/path.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import { kinds } from "../targets/registry.js";

/** Parses a path from a user. It must begin at the root of a target's tree: another path would match no node and look like success. */
export function wholePath(text: string): Path {
  const path = parsePath(text);
  const roots = [...new Set([...kinds.values()].map(({ rootTag }) => rootTag))];
  if (text.startsWith("/") && roots.includes(path.steps()[0]?.tag ?? "")) return path;
  throw new PlumblineError("option-invalid", `The path ${text} does not begin at the root of a target's tree.`, {
    next: `Begin it with ${roots.map((root) => `/${root}`).join(", ")}; \`plumbline plan --format json\` shows complete paths.`,
  });
}

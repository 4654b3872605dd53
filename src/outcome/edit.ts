import type { Edit } from "./insight.js";
import { listed } from "./shorten-list.js";

/** Formats an edit: "rule guest-games: zone tv, service tcp_8081 added". `where` follows the subject. */
export function editText({ subject, changes }: Edit, shown = Number.POSITIVE_INFINITY, where = ""): string {
  const parts = changes.map(({ kind, items }) => (items.length === 0 ? kind : `${listed(items, shown)} ${kind}`));
  return `${subject}${where}${parts.length === 0 ? "" : `: ${parts.join("; ")}`}`;
}

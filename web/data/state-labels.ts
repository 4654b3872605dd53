import type { DriftView } from "../../src/agent/page/view.ts";
import type { Filter } from "./filter.ts";

export interface Sign {
  /** Distinguishes states without colour. */
  readonly mark: string;
  readonly word: string;
}

export const STATE_SIGNS: Readonly<Record<Filter, Sign>> = {
  failed: { mark: "✕", word: "Failed" },
  refused: { mark: "⊘", word: "Refused" },
  drifted: { mark: "≠", word: "Drifted" },
  pending: { mark: "◷", word: "Pending" },
  paused: { mark: "‖", word: "Paused" },
  "in-sync": { mark: "✓", word: "In sync" },
  new: { mark: "…", word: "Not seen" },
};

export const CHANGE_SIGNS: Readonly<Record<DriftView["kind"], Sign>> = {
  missing: { mark: "+", word: "missing" },
  extra: { mark: "−", word: "extra" },
  differs: { mark: "~", word: "changed" },
  order: { mark: "↕", word: "moved" },
  renamed: { mark: "→", word: "renamed" },
  unmanaged: { mark: "!", word: "unmanaged" },
};

/** Actions of a plan by the kind of difference that they remove. */
export const PLANNED_WORDS: Readonly<Record<DriftView["kind"], string>> = {
  missing: "create",
  extra: "delete",
  differs: "change",
  order: "move",
  renamed: "rename",
  unmanaged: "unmanaged",
};

/** Describes a flag: `deletes up to 47%`, `management`, `not-as-left at /config/…`. */
export function allowWords(flag: string): string {
  const row = flag.replace(/^--allow /, "").replace(/^"(.*)"$/s, "$1");
  const at = row.indexOf("=");
  if (at < 0) return row;
  const value = row.slice(at + 1);
  const link = /^[\d.]+%?$/.test(value) ? "up to" : value.startsWith("/") ? "at" : "of";
  return `${row.slice(0, at)} ${link} ${value}`;
}

/** Formats `1 drift` or `1,200 drifts`. */
export function plural(n: number, one: string): string {
  return `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
}

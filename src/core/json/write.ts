import type { Json } from "./value.js";

/** Writes JSON like Python's `json.dumps`: a space after `,` and `:`, ASCII only, exact integers of any size. */
export function writeJson(value: Json): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${quote(key)}: ${writeJson(member)}`)
    .join(", ")}}`;
}

function quote(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

import type { Json } from "../../../core/json/value.js";

/** A value as Python prints it: the controller puts these into its messages. */
export function pythonText(value: Json): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(pythonText).join(", ")}]`;
  if (typeof value !== "object") return value.toString();
  return `{${Object.entries(value)
    .map(([key, member]) => `${quote(key)}: ${pythonText(member)}`)
    .join(", ")}}`;
}

/** Single quotes, unless the text holds one and no double quote. */
function quote(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  if (text.includes("'") && !text.includes('"')) return `"${escaped}"`;
  return `'${escaped.replaceAll("'", "\\'")}'`;
}

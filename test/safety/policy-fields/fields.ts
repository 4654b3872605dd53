import type { Shape } from "../../../src/core/tree/shape.js";

/** A field of a shape table: the tags from the root, with `*` for the entry of a list, and the form of its values. */
export interface Field {
  readonly tags: readonly string[];
  readonly form: "leaf" | "members" | "list" | "container";
  /** Tags of the other values of its choice, which cannot be set at the same time. */
  readonly others: readonly (readonly string[])[];
}

/** Lists without a name of their own in XML: their entries are elements of this tag. */
const ENTRY = "*";

/** Lists all fields below a place. `skips`: whether to omit a place and everything below. */
export function fieldsOf(shape: Shape, tags: readonly string[], skips: (tags: readonly string[]) => boolean): Field[] {
  if (skips(tags) || shape.readOnly === true) return [];
  const entry = shape.kind === "list" ? shape.child("entry") : shape;
  const at = shape.kind === "list" ? [...tags, ENTRY] : tags;
  const inner = entry.knownTags.filter((tag) => tag !== "member" && tag !== "entry");
  if (shape.kind === "leaf" || shape.kind === "members") return [fieldAt(shape.kind, tags)];
  if (inner.length === 0) return [fieldAt(shape.kind === "list" ? "list" : "container", tags)];
  return inner.flatMap((tag) => {
    const child = entry.child(tag);
    const { choice } = child;
    const others = choice === undefined ? [] : inner.filter((each) => each !== tag && entry.child(each).choice === choice);
    const found = fieldsOf(child, [...at, tag], skips);
    return found.map((field) => ({ ...field, others: [...field.others, ...others.map((each) => [...at, each])] }));
  });
}

const fieldAt = (form: Field["form"], tags: readonly string[]): Field => ({ form, tags, others: [] });

/** Returns whether a pattern matches: `*` is any tag, `**` any number of tags, `a|b` one of several. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split("/").map((part) => {
    if (part === "**") return ".+";
    if (part === "*") return "[^/]+";
    return `(?:${part.replaceAll(/[.*]/g, "\\$&")})`;
  });
  return new RegExp(`^${parts.join("/")}$`).test(text);
}

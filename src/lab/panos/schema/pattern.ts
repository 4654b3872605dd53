/**
 * Rules for paths of tags. A step of a pattern is a tag, tags joined by `|`, or `*`; `**` is any number of steps. The last step is never
 * `**`.
 */
export class PathRules<Value> {
  /** Rules by the last tag of their pattern. */
  readonly #rules = new Map<string, { readonly pattern: RegExp; readonly value: Value }[]>();

  constructor(rules: readonly (readonly [pattern: string, value: Value])[]) {
    for (const [pattern, value] of rules) {
      const rule = { pattern: regularExpression(pattern), value };
      for (const tag of (pattern.split("/").at(-1) ?? "").split("|")) this.#rules.set(tag, [...(this.#rules.get(tag) ?? []), rule]);
    }
  }

  /** Returns the value of the first rule that matches a path. */
  first(path: string): Value | undefined {
    return this.all(path)[0];
  }

  all(path: string): Value[] {
    const tag = path.slice(path.lastIndexOf("/") + 1);
    const candidates = [...(this.#rules.get(tag) ?? []), ...(this.#rules.get("*") ?? [])];
    return candidates.filter(({ pattern }) => pattern.test(path)).map(({ value }) => value);
  }
}

function regularExpression(pattern: string): RegExp {
  const steps = pattern.split("/").map((step) => {
    if (step === "**") return "(?:[^/]+/)*";
    return `${step === "*" ? "[^/]+" : `(?:${step})`}/`;
  });
  return new RegExp(`^${steps.join("").slice(0, -1)}$`);
}

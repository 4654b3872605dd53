import { PlumblineError } from "../core/errors.js";
import type { Path } from "../core/tree/path.js";
import { parsePath } from "../core/tree/xpath/xpath.js";

/** Form of VALUE in `--allow GUARD=VALUE`. A `word` guard takes no value. */
type AllowForm = "percent" | "count" | "word" | "commit" | "paths" | "names";

/** Guards that `--allow` can override once, with the form of each value. */
type AllowForms = Readonly<Record<string, AllowForm>>;

type GuardOf<Forms extends AllowForms, Form extends AllowForm> = {
  [Guard in keyof Forms]: Forms[Guard] extends Form ? Guard : never;
}[keyof Forms];

const EXAMPLES: Record<AllowForm, string> = {
  percent: "=45%",
  count: "=3",
  word: "",
  commit: "=0123abcd",
  paths: "=XPATH",
  names: "=NAME",
};

/** Guards that `--allow` can override once, with the form of each value. Some belong to checks of a run that are no guards. */
const ALLOW_FORMS = {
  updates: "percent",
  deletes: "percent",
  "empty-list": "count",
  "deletes-per-day": "count",
  "first-contact": "count",
  "expired-ignores": "count",
  down: "word",
  management: "word",
  meaning: "word",
  "master-key": "word",
  "not-converging": "word",
  "refused-commit": "commit",
  dirty: "count",
  "foreign-pending": "word",
  unpushed: "word",
  follows: "word",
  targets: "count",
  values: "word",
  names: "word",
  window: "word",
  "object-hidden": "word",
  "not-as-left": "paths",
  data: "paths",
  assertion: "names",
} as const satisfies AllowForms;

export type Allowed = Allowances<typeof ALLOW_FORMS>;

/**
 * Parses the `--allow` values of one run.
 *
 * @throws PlumblineError `allow-unknown` or `allow-value`
 */
export function allowancesOf(values: ReadonlyMap<string, string>): Allowed {
  return new Allowances(ALLOW_FORMS, values);
}

/** The checked `--allow` values of one run. The constructor throws for an unknown guard or a value of the wrong form. */
class Allowances<Forms extends AllowForms> {
  readonly #values: ReadonlyMap<PropertyKey, string>;

  constructor(forms: Forms, values: ReadonlyMap<string, string>) {
    for (const [guard, value] of values) check(forms, guard, value);
    this.#values = values;
  }

  /** Share, 0 to 1, up to which the guard is overridden. Undefined without `--allow`. */
  share(guard: GuardOf<Forms, "percent">): number | undefined {
    const value = this.#values.get(guard);
    return value === undefined ? undefined : Number(value.slice(0, -1)) / 100;
  }

  /** Number up to which the guard is overridden. 0 without `--allow`. */
  count(guard: GuardOf<Forms, "count">): number {
    return Number(this.#values.get(guard) ?? 0);
  }

  /** Paths for which the guard is overridden, including everything below them. */
  paths(guard: GuardOf<Forms, "paths">): Path[] {
    return (this.#values.get(guard) ?? "")
      .split("\n")
      .filter((text) => text !== "")
      .map((text) => parsePath(text));
  }

  /** Names for which the guard is overridden. */
  names(guard: GuardOf<Forms, "names">): string[] {
    return (this.#values.get(guard) ?? "").split("\n").filter((text) => text !== "");
  }

  /** Start of the commit for which the guard is overridden. Undefined without `--allow`. */
  commit(guard: GuardOf<Forms, "commit">): string | undefined {
    return this.#values.get(guard);
  }

  has(guard: GuardOf<Forms, "word">): boolean {
    return this.#values.has(guard);
  }
}

function check(forms: AllowForms, guard: string, value: string): void {
  const form = Object.hasOwn(forms, guard) ? forms[guard] : undefined;
  if (form === undefined) {
    throw new PlumblineError("allow-unknown", `There is no guard "${guard}" that --allow could let pass.`, {
      next: `Copy the flag from the refusal; the guards are ${Object.keys(forms).join(", ")}.`,
    });
  }
  if (isOfForm(value, form)) return;
  throw new PlumblineError("allow-value", `--allow ${guard}${value === "" ? "" : `=${value}`} has no value of the right form.`, {
    next: `Write --allow ${guard}${EXAMPLES[form]}, or copy the flag from the refusal.`,
  });
}

function isOfForm(value: string, form: AllowForm): boolean {
  if (form === "word") return value === "";
  if (form === "names") return value.split("\n").every((name) => name !== "");
  if (form === "paths") return value.split("\n").every(isPath);
  if (form === "commit") return /^(?:[0-9a-f]{7,64}|here)$/.test(value);
  if (form === "count") return /^[1-9][0-9]{0,8}$/.test(value);
  return /^[0-9]{1,3}(\.[0-9]{1,2})?%$/.test(value) && Number(value.slice(0, -1)) <= 100;
}

function isPath(text: string): boolean {
  try {
    return parsePath(text).depth > 0;
  } catch {
    return false;
  }
}

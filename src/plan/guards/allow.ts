import { PlumblineError } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath.js";

type Form = "percent" | "count" | "word" | "commit" | "paths";

/** Guards that `--allow` can let pass once, and the form of its value. */
const GUARDS: ReadonlyMap<string, Form> = new Map([
  ["updates", "percent"],
  ["deletes", "percent"],
  ["empty-list", "count"],
  ["deletes-per-day", "count"],
  ["first-contact", "count"],
  ["expired-ignores", "count"],
  ["management", "word"],
  ["meaning", "word"],
  ["master-key", "word"],
  ["not-converging", "word"],
  ["refused-commit", "commit"],
  ["follows", "word"],
  ["window", "word"],
  ["object-hidden", "word"],
  ["not-as-left", "paths"],
]);

const EXAMPLES: Record<Form, string> = { percent: "=45%", count: "=3", word: "", commit: "=0123abcd", paths: "=XPATH" };

/** `--allow` of one run, checked: a guard that does not exist, or a value of the wrong form, is an error. */
export class Allowances {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    for (const [guard, value] of values) check(guard, value);
    this.#values = values;
  }

  /** Share, 0 to 1, up to which the guard stands aside; undefined when it was not let pass. */
  share(guard: "updates" | "deletes"): number | undefined {
    const value = this.#values.get(guard);
    return value === undefined ? undefined : Number(value.slice(0, -1)) / 100;
  }

  /** Number up to which the guard stands aside; 0 when it was not let pass. */
  count(guard: "empty-list" | "deletes-per-day" | "first-contact" | "expired-ignores"): number {
    return Number(this.#values.get(guard) ?? 0);
  }

  /** Places that the guard stands aside for: each and what is below it. */
  paths(guard: "not-as-left"): Path[] {
    return (this.#values.get(guard) ?? "")
      .split("\n")
      .filter((text) => text !== "")
      .map((text) => parsePath(text));
  }

  has(guard: "management" | "meaning"): boolean {
    return this.#values.has(guard);
  }
}

function check(guard: string, value: string): void {
  const form = GUARDS.get(guard);
  if (form === undefined) {
    throw new PlumblineError("allow-unknown", `There is no guard "${guard}" that --allow could let pass.`, {
      next: `Copy the flag from the refusal; the guards are ${[...GUARDS.keys()].join(", ")}.`,
    });
  }
  if (isOfForm(value, form)) return;
  throw new PlumblineError("allow-value", `--allow ${guard}${value === "" ? "" : `=${value}`} has no value of the right form.`, {
    next: `Write --allow ${guard}${EXAMPLES[form]}, or copy the flag from the refusal.`,
  });
}

function isOfForm(value: string, form: Form): boolean {
  if (form === "word") return value === "";
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

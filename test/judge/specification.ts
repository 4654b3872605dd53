/**
 * Reads the vendor's specifications of its own tools (`specs/` of pan-os-codegen). It shares no code and no table with the product, and
 * knows only what the specifications contain.
 */

interface Validator {
  readonly type: string;
  readonly spec: { readonly min?: number; readonly max?: number; readonly expr?: string };
}

interface Parameters {
  readonly params?: readonly Parameter[];
  readonly variants?: readonly Parameter[];
}

interface Parameter extends Typed {
  readonly name: string;
  readonly profiles?: readonly { readonly xpath: readonly string[]; readonly type?: string }[];
  readonly hashing?: object;
  readonly codegen_overrides?: { readonly terraform?: { readonly sensitive?: boolean } };
}

interface Typed {
  readonly type: string;
  readonly validators?: readonly Validator[];
  readonly spec?:
    | undefined
    | (Parameters & {
        readonly values?: readonly { readonly value: string }[];
        readonly items?: { readonly type: string; readonly spec?: Typed["spec"] | undefined; readonly validators?: readonly Validator[] };
      });
}

/** A file of `specs/`, as far as the judge reads it. */
export interface SpecificationFile extends Partial<Record<"spec", Parameters>> {
  readonly locations?: readonly { readonly xpath: { readonly path: readonly string[] } }[];
  readonly panos_xpath?: { readonly path: readonly string[] };
  readonly terraform_provider_config?: { readonly resource_type?: string };
}

/** The constraint of one specification for the text of a leaf. */
export type Rule =
  | { readonly kind: "bool" }
  | { readonly kind: "enum"; readonly words: readonly string[] }
  | { readonly kind: "integer" | "decimal"; readonly min: number | undefined; readonly max: number | undefined }
  | { readonly kind: "text"; readonly min: number | undefined; readonly max: number | undefined; readonly pattern: RegExp | undefined };

/** A place in a configuration, by the tags that lead to it; `entry` steps are steps like any other. */
export class Place {
  readonly rules: Rule[] = [];
  /** Groups of tags below, of which a configuration has one. */
  readonly alternatives: string[][] = [];
  readonly #below = new Map<string, Place>();
  #waiting: (() => void)[] = [];

  below(tag: string): Place | undefined {
    this.#grow();
    return this.#below.get(tag);
  }

  /** Returns the tags of all places below. */
  tags(): string[] {
    this.#grow();
    return [...this.#below.keys()];
  }

  /** Returns the place at these tags, and creates it if it is missing. */
  at(...tags: readonly string[]): Place {
    let place: Place = this;
    for (const tag of tags) {
      place.#grow();
      const next = place.#below.get(tag) ?? new Place();
      place.#below.set(tag, next);
      place = next;
    }
    return place;
  }

  /** Adds parameters. They are read when a place below is requested. */
  holds(parameters: Parameters): void {
    this.#waiting.push(() => {
      for (const each of [...(parameters.params ?? []), ...(parameters.variants ?? [])]) this.#hold(each);
      const tags = new Set(
        (parameters.variants ?? []).flatMap(({ name, profiles }) => (profiles ?? [{ xpath: [name] }])[0]?.xpath[0] ?? []),
      );
      if (tags.size > 1) this.alternatives.push([...tags]);
    });
  }

  #grow(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) each();
  }

  #hold(parameter: Parameter): void {
    // Encrypted values are unknown when a document is read.
    if (parameter.hashing !== undefined || parameter.codegen_overrides?.terraform?.sensitive === true) return;
    for (const { xpath, type } of parameter.profiles ?? [{ xpath: [parameter.name], type: undefined }]) {
      // Some files write the last step of a list, `entry` or `member`, and others do not.
      const isItem = xpath.length > 1 && ["entry", "member"].includes(xpath.at(-1) ?? "");
      const place = this.at(...(isItem ? xpath.slice(0, -1) : xpath));
      const items = parameter.spec?.items;
      if (parameter.type === "list" && items !== undefined) {
        const item = place.at(type === "entry" || items.type === "object" ? "entry" : "member");
        if (items.type === "object") item.holds(items.spec ?? {});
        else if (type !== "entry") item.#rule({ ...items, validators: items.validators ?? parameter.validators ?? [] });
      } else if (parameter.type === "object") place.holds(parameter.spec ?? {});
      else place.#rule(parameter);
    }
  }

  #rule({ type, spec, validators = [] }: Typed): void {
    const limits = validators.find((each) => each.type === "length" || each.type === "range")?.spec;
    const ends = { min: limits?.min, max: limits?.max };
    if (type === "bool") this.rules.push({ kind: "bool" });
    else if (type === "enum") this.rules.push({ kind: "enum", words: (spec?.values ?? []).map(({ value }) => String(value)) });
    else if (type === "int64") this.rules.push({ kind: "integer", ...ends });
    else if (type === "float64") this.rules.push({ kind: "decimal", ...ends });
    else if (type === "string") {
      const expression = validators.find((each) => each.type === "regexp")?.spec.expr;
      this.rules.push({ kind: "text", ...ends, pattern: expression === undefined ? undefined : new RegExp(`^(?:${expression})$`) });
    }
  }
}

/** The content of all specifications, below the element `config`. */
export function readSpecifications(files: readonly SpecificationFile[]): Place {
  const config = new Place();
  for (const { locations = [], panos_xpath, terraform_provider_config, spec } of files) {
    const own = panos_xpath?.path;
    if (own === undefined || spec === undefined) continue;
    const isEntry = ["entry", "uuid"].includes(terraform_provider_config?.resource_type ?? "") && !own.at(-1)?.startsWith("$");
    for (const { xpath } of locations)
      for (const [root, ...steps] of spellings([...xpath.path, ...own, ...(isEntry ? ["$"] : [])]))
        if (root === "config") config.at(...steps).holds(spec);
  }
  return config;
}

/** The meaning of a location with a choice of rulebases, with `entry` in place of its named variable. */
function spellings(path: readonly string[]): string[][] {
  const rulebases = path.includes("$rulebase") ? ["rulebase", "pre-rulebase", "post-rulebase"] : [""];
  return rulebases.map((rulebase) => path.map((step) => (step === "$rulebase" ? rulebase : step.startsWith("$") ? "entry" : step)));
}

/** False if every specification of the leaf refuses the text; undefined if there is none. */
export function takes(rules: readonly Rule[], text: string): boolean | undefined {
  return rules.length === 0 ? undefined : rules.some((rule) => fits(rule, text));
}

function fits(rule: Rule, text: string): boolean {
  switch (rule.kind) {
    case "bool":
      return text === "yes" || text === "no";
    case "enum":
      return rule.words.includes(text);
    case "integer":
    case "decimal": {
      const number = rule.kind === "integer" ? /^[+-]?[0-9]+$/ : /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)$/;
      return number.test(text) && Number(text) >= (rule.min ?? -Infinity) && Number(text) <= (rule.max ?? Infinity);
    }
    case "text": {
      const length = [...text].length;
      return length >= (rule.min ?? 0) && length <= (rule.max ?? Infinity) && rule.pattern?.test(text) !== false;
    }
  }
}

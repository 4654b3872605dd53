import { shapeAt } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { assertSchema } from "./assertions-schema.js";
import { ALLOWED, DIRECTIVES, type Holder, scalar } from "./body/directive-table.js";
import { checkProperties } from "./checks-schema.js";
import { selectionKeys } from "./configuration/fleet-schema.js";
import { type FieldPlace, placeAt } from "./field-table.js";
import type { DOCUMENT_KEYS } from "./header.js";
import type { DesiredKind } from "./kind.js";
import { describeLeaf, fieldOf, ifThen, leafSchema } from "./leaf-schema.js";
import { applicationsSchema } from "./read-applications.js";
import { withTitles } from "./schema-titles.js";

type Schema = Record<string, unknown>;

/** Maximum depth of the schema. Shapes can be recursive. */
const MAX_DEPTH = 10;

/**
 * Returns the JSON Schema (draft 7) for documents of one kind of target, for editors. Known fields are offered and checked for their form;
 * unknown fields are allowed. The loader makes the final check.
 */
export function documentSchema(kind: DesiredKind): Schema {
  const definitions = new Definitions(kind.fields?.());
  const places = kind.scopeWords.flatMap((word) => {
    const path = kind.place(word.replace(/N$/, "1").replace("NAME1", "NAME"));
    if (path === undefined) return [];
    const config = definitions.place(path, shapeAt(path, kind.shape));
    // Editors report errors below `then` at their place. For alternatives they would report them at `scope:`.
    return [ifThen({ required: ["scope"], properties: { scope: { pattern: wordPattern(word) } } }, { properties: { config } })];
  });
  return withTitles({
    $schema: "http://json-schema.org/draft-07/schema#",
    title: `${kind.kind} document`,
    type: "object",
    allOf: [
      { oneOf: [{ required: ["target"] }, { required: ["targets"] }] },
      { oneOf: [{ required: ["scope"] }, { required: ["at"] }] },
      ...places,
    ],
    additionalProperties: false,
    properties: headerProperties(kind),
    definitions: { ...directiveDefinitions, ...definitions.named },
  });
}

function headerProperties(kind: DesiredKind): Schema {
  const text = { type: "string", minLength: 1 };
  const properties: Partial<Record<(typeof DOCUMENT_KEYS)[number], Schema>> = {
    target: { ...text, description: "A target of plumbline.yaml." },
    targets: {
      description: "Several targets: all, a list of names, or a selection by group, kind or label.",
      anyOf: [
        { const: "all" },
        { type: "array", minItems: 1, items: text },
        { type: "object", minProperties: 1, additionalProperties: false, properties: selectionKeys },
      ],
    },
    scope: {
      ...text,
      anyOf: kind.scopeWords.map((word) => ({ title: word, pattern: wordPattern(word) })),
      description: `Part of the configuration: ${kind.scopeWords.join(", ")}.`,
    },
    at: {
      type: "string",
      pattern: `^/${kind.rootTag}(?:/|$)`,
      description: "XPath of the part of the configuration, if scope: has no name for it.",
    },
    ...(kind.strict === true
      ? {}
      : { unknown: { const: "allow", description: "Unknown fields are written unchanged and are not errors." } }),
    owns: {
      type: "object",
      description:
        "Paths of lists in the scope. exclusive: Plumbline deletes undeclared entries. shared: other administrators manage undeclared entries, which are not drift.",
      additionalProperties: {
        anyOf: [
          { enum: ["exclusive", "shared"] },
          {
            type: "object",
            required: ["exclusive"],
            additionalProperties: false,
            properties: { exclusive: { const: true }, allowEmpty: { type: "boolean" } },
          },
        ],
      },
    },
    ignore: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "owner", "reason"],
        additionalProperties: false,
        properties: { path: text, owner: text, reason: text, until: { description: "Last day on which it holds, yyyy-mm-dd." } },
      },
    },
    ...checkProperties(kind),
    ...(kind.hasApplications === true ? { applications: applicationsSchema() } : {}),
    assert: assertSchema(kind.flowWordFault !== undefined),
    config: { type: "object", description: "Desired configuration of the scope." },
  };
  return properties;
}

function scopeName(list: string): string {
  return `scope-${list}`;
}

/** Converts `vsysN` and `template/NAME` to patterns. */
function wordPattern(word: string): string {
  return `^${word.replace("NAME", ".+").replace(/N$/, "[1-9][0-9]*")}$`;
}

/** The directives of each kind of map, as definitions that all others share. */
const directiveDefinitions: Schema = Object.fromEntries(
  (Object.keys(ALLOWED) as Holder[]).map((holder) => [
    `in-${holder}`,
    { properties: Object.fromEntries(ALLOWED[holder].map((name) => [name, DIRECTIVES[name]])) },
  ]),
);

function map(holder: Holder, rest: Schema): Schema {
  return { type: "object", allOf: [{ $ref: `#/definitions/in-${holder}` }], ...rest };
}

/** Shares equal parts of the schema as definitions, because most of a policy's tree repeats. */
class Definitions {
  readonly named: Schema = {};
  readonly #byText = new Map<string, string>();
  readonly #fields: FieldPlace | undefined;

  constructor(fields: FieldPlace | undefined) {
    this.#fields = fields;
  }

  /** Returns the schema of a document body at `path`. If the place is an entry, all such entries share its schema. */
  place(path: Path, shape: Shape): Schema {
    if (path.name === undefined) return this.container(path, shape, MAX_DEPTH);
    const name = scopeName(path.parent?.tag ?? "");
    this.named[name] = { title: path.parent?.tag, ...map("entry", { properties: this.#children(path, shape, MAX_DEPTH) }) };
    return { $ref: `#/definitions/${name}` };
  }

  container(path: Path, shape: Shape, depth: number): Schema {
    return this.#share(path, shape, map("container", { properties: this.#children(path, shape, depth) }));
  }

  #children(path: Path, shape: Shape, depth: number): Schema {
    if (depth === 0) return {};
    const declarable = shape.knownTags.filter((tag) => shape.child(tag).readOnly !== true && shape.child(tag).mark !== true);
    return Object.fromEntries(declarable.map((tag) => [tag, this.#element(path.child(tag), shape.child(tag), depth - 1)]));
  }

  #element(path: Path, shape: Shape, depth: number): Schema {
    switch (shape.kind) {
      case "leaf":
        return this.#leaf(path, shape);
      case "members":
        return this.#members(path, shape);
      case "list":
        return this.#list(path, shape, depth);
      case "container":
      case "entry":
        return this.container(path, shape, depth);
      default:
        return {};
    }
  }

  #leaf(path: Path, shape: Shape): Schema {
    return this.#share(path, shape, leafSchema(shape, this.#known(path)));
  }

  #known(path: Path): FieldPlace | undefined {
    return this.#fields === undefined ? undefined : placeAt(this.#fields, path);
  }

  #members(path: Path, shape: Shape): Schema {
    const description = describeLeaf(shape, fieldOf(shape, this.#known(path)?.field));
    const items = { anyOf: [scalar, { type: "object" }] };
    const values = { type: "array", items, ...(shape.matchList ? { minItems: 1 } : {}) };
    const alternatives = { anyOf: [values, map("members", { patternProperties: { "^[^$]": false } })] };
    return this.#share(path, shape, { ...(description === "" ? {} : { description }), ...alternatives });
  }

  #list(path: Path, shape: Shape, depth: number): Schema {
    const entry = shape.child("entry");
    const body = entry.scope
      ? this.#scope(path.tag)
      : this.#share(path, entry, map("entry", { properties: this.#children(path.entry("NAME"), entry, depth) }));
    const sequence = { type: "array", items: { anyOf: [body, scalar] } };
    const keyed = map("list", { patternProperties: { "^[^$]": shape.ordered ? false : body } });
    return this.#share(path, shape, { anyOf: [sequence, keyed] });
  }

  /** Scopes are large and contain each other, so each is defined once. */
  #scope(list: string): Schema {
    const name = scopeName(list);
    this.named[name] ??= map("entry", {});
    return { $ref: `#/definitions/${name}` };
  }

  #share({ tag }: Path, shape: Shape, untitled: Schema): Schema {
    const schema = { title: tag, ...untitled };
    const text = JSON.stringify(schema);
    let name = this.#byText.get(text);
    if (name === undefined) {
      name = `${shape.kind}-${this.#byText.size + 1}`;
      this.#byText.set(text, name);
      this.named[name] = schema;
    }
    return { $ref: `#/definitions/${name}` };
  }
}

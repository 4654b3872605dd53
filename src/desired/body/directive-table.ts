/** JSON Schema of a value. */
type ValueSchema = Readonly<Record<string, unknown>>;

const flag = { type: "boolean" } as const;
export const scalar = { type: ["string", "number", "boolean"] } as const;

/** Every key that begins with `$` inside `config:` (docs/desired-state.md#directives), with the schema of its value for editors. */
export const DIRECTIVES = {
  $partial: { ...flag, description: "Manage only the listed parts." },
  $include: { type: "array", description: "Members that must exist." },
  $exclude: { type: "array", description: "Members that must not exist." },
  $add: { type: "array", description: "Members in addition to the list of a wider document." },
  $remove: { type: "array", description: "Members to remove from the list of a wider document." },
  $entries: { type: ["object", "array"], description: "All entries, for names that have another meaning as a key." },
  $members: { type: "array", description: "All members." },
  $position: {
    description: "Position of a block in an ordered list.",
    anyOf: [
      { enum: ["top", "bottom"] },
      {
        type: "object",
        additionalProperties: false,
        properties: { before: scalar, after: scalar, top: flag, bottom: flag, contiguous: flag },
      },
    ],
  },
  $was: { type: "string", description: "The name before a rename." },
  $adopt: { ...flag, description: "Take ownership of the only unmarked object of this name." },
  $down: { ...flag, description: "Allow an interruption for a change in place." },
  $rebuild: { ...flag, description: "Allow a rebuild with another image. The root disk is lost." },
  $override: { ...flag, description: "Overwrite values inherited from a template." },
  $forEach: {
    type: "object",
    required: ["in", "select"],
    additionalProperties: false,
    properties: {
      in: { type: "string" },
      select: { type: "string" },
      name: { type: "string" },
      from: { enum: ["desired", "live"] },
      where: { type: "string", description: "Path from each node. Nodes without a result are omitted." },
      allowEmpty: flag,
    },
  },
  $count: { type: "integer", minimum: 1, description: "Creates name-1 to name-n." },
  $replace: { ...flag, description: "Allow deleting and recreating the object." },
  $xml: { type: "string", description: "Content of the element as XML." },
} as const satisfies Readonly<Record<string, ValueSchema>>;

export type DirectiveName = keyof typeof DIRECTIVES;

/** In the order in which messages list them. */
export const DIRECTIVE_NAMES = Object.keys(DIRECTIVES) as readonly DirectiveName[];

/** Allowed directives by the kind of map. */
export const ALLOWED = {
  container: ["$partial", "$override", "$replace", "$xml"],
  entry: ["$partial", "$override", "$replace", "$xml", "$members", "$was", "$adopt", "$down", "$rebuild", "$forEach", "$count"],
  list: ["$entries", "$position", "$override"],
  members: ["$members", "$include", "$exclude", "$add", "$remove", "$override"],
  leaf: ["$xml", "$override"],
} as const satisfies Record<string, readonly DirectiveName[]>;

export type Holder = keyof typeof ALLOWED;

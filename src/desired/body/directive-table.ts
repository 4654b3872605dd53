/** JSON Schema of a value. */
type ValueSchema = Readonly<Record<string, unknown>>;

const flag = { type: "boolean" } as const;
export const scalar = { type: ["string", "number", "boolean"] } as const;

/** Every key that begins with `$` inside `config:` (docs/desired-state.md#directives), with the schema of its value for editors. */
export const DIRECTIVES = {
  $partial: { ...flag, description: "Only what is listed is ours." },
  $include: { type: "array", description: "Members that must be there." },
  $exclude: { type: "array", description: "Members that must not be there." },
  $add: { type: "array", description: "Members beside those that a wider document lists." },
  $remove: { type: "array", description: "Members that a wider document lists, and that are not wanted here." },
  $entries: { type: ["object", "array"], description: "Entries, where a name could be taken for something else." },
  $members: { type: "array", description: "All members." },
  $position: {
    description: "Where the block of an ordered list goes.",
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
  $adopt: { ...flag, description: "Take over the one unmarked object of this name." },
  $down: { ...flag, description: "May go down for a change in place." },
  $rebuild: { ...flag, description: "Gets another image in place, and loses its root disk." },
  $override: { ...flag, description: "Write over values inherited from a template." },
  $forEach: {
    type: "object",
    required: ["in", "select"],
    additionalProperties: false,
    properties: {
      in: { type: "string" },
      select: { type: "string" },
      name: { type: "string" },
      from: { enum: ["desired", "live"] },
      where: { type: "string", description: "Path from each node: one that leads to nothing is left out." },
      allowEmpty: flag,
    },
  },
  $count: { type: "integer", minimum: 1, description: "Makes name-1 to name-n." },
  $replace: { ...flag, description: "May be deleted and made again." },
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

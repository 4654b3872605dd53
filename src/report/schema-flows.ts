import { integer, list, namesOf, object, text } from "./schema-parts.js";

const orAny = <const Items extends object>(items: Items) => ({ oneOf: [{ const: "any" }, list(items)] }) as const;
const addresses = orAny(object({ first: text, last: text }));
const ports = { first: integer, last: integer };

const sets = {
  ...object({
    from: orAny(text),
    to: orAny(text),
    source: addresses,
    destination: addresses,
    services: orAny(object({ protocol: integer, ...ports })),
    sourcePorts: orAny(object(ports)),
    applications: orAny(text),
    users: orAny(text),
  }),
  description: "The complete sets of these flows in values. Both ends of a range are in it.",
} as const;

const conditions = {
  ...list(text),
  description: "Present if flows of one row hold under different conditions: one of these must hold for these flows.",
} as const;

const fields = { from: text, to: text, source: text, destination: text, service: text, application: text, user: text };

const step = object({ changes: { type: "boolean" }, sets, conditions: list(text) }, ["changes", "sets"]);
const steps = {
  ...list(step),
  description:
    "Present if the sets contain more flows than the row. The first step with the flow, of whose conditions one holds, decides whether the flow changes. If no step has it, it does not change.",
} as const;

/** Schema of a set of flows, as names and as values. */
export const flow = object({ ...fields, sets, conditions, steps }, namesOf(fields));

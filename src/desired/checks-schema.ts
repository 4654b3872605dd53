import { LIMITS } from "./checks.js";
import type { DesiredKind } from "./kind.js";

type Schema = Record<string, unknown>;

const text = { type: "string", minLength: 1 };
const strict = (properties: Schema, required: readonly string[]) => ({ type: "object", additionalProperties: false, required, properties });
const number = (name: keyof typeof LIMITS, description?: string) => {
  const [minimum, maximum] = LIMITS[name];
  return { type: "integer", minimum, maximum, ...(description === undefined ? {} : { description }) };
};
const leniency = (description: string) => ({ enum: ["refuse", "warn"], default: "refuse", description });

const tries = {
  timeout: number("timeout", "Seconds that one attempt may take."),
  attempts: number("attempts", "Number of attempts. One of them must succeed."),
};

const probes: readonly Schema[] = [
  strict({ tcp: strict({ host: text, port: number("port") }, ["host", "port"]), ...tries }, ["tcp"]),
  strict({ http: strict({ url: text, status: number("status") }, ["url"]), ...tries }, ["http"]),
  strict({ dns: strict({ name: text, server: text, expect: text }, ["name"]), ...tries }, ["dns"]),
];

/** Returns the JSON Schema of `artifacts:` and, for a kind with commits, of `watch:` and `probe:`, for editors. */
export function checkProperties({ logTypes }: DesiredKind): Readonly<Record<string, Schema>> {
  return {
    ...(logTypes === undefined ? {} : afterCommit(logTypes)),
    artifacts: {
      ...strict(
        {
          hashes: { type: "array", items: { type: "string", pattern: "^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{64})$" } },
          images: { type: "array", items: text },
          onUnknown: leniency("Applies to files that the service does not know."),
          onUnavailable: leniency("Applies if the verdict cannot be read."),
        },
        [],
      ),
      description: "Files that need a good verdict before a write.",
    },
  };
}

function afterCommit(logTypes: readonly string[]): Readonly<Record<string, Schema>> {
  const properties = { type: { enum: logTypes }, query: text, threshold: number("threshold"), minutes: number("minutes") };
  const watch = strict(properties, ["type", "minutes"]);
  return {
    watch: {
      type: "array",
      items: watch,
      description: "Log records that must not appear after a commit. Otherwise the commit is rolled back.",
    },
    probe: {
      type: "array",
      items: { anyOf: probes },
      description: "Connections that must work after a commit. Otherwise the commit is rolled back.",
    },
  };
}

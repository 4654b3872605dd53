import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { renderSarif } from "../../../src/report/sarif/sarif.js";
import { desired, outcome, planOf, rules, vsys } from "../outcomes.js";

/**
 * Requirements of code hosts for SARIF 2.1.0 beyond the standard: each result has a place with a relative URI and lines from 1, each rule
 * its three texts (GitHub; GitLab requires less).
 */
const text = { type: "object", required: ["text"], properties: { text: { type: "string", minLength: 1, maxLength: 5_000 } } };
const position = { type: "integer", minimum: 1 };
const accepted = new Ajv({ allErrors: true, strict: true }).compile({
  type: "object",
  required: ["$schema", "version", "runs"],
  properties: {
    $schema: { type: "string" },
    version: { const: "2.1.0" },
    runs: {
      type: "array",
      minItems: 1,
      maxItems: 20,
      items: {
        type: "object",
        required: ["tool", "results"],
        properties: {
          columnKind: { const: "utf16CodeUnits" },
          invocations: { type: "array" },
          tool: {
            type: "object",
            required: ["driver"],
            properties: {
              driver: {
                type: "object",
                required: ["name", "rules"],
                properties: {
                  name: { type: "string" },
                  semanticVersion: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+" },
                  rules: {
                    type: "array",
                    items: {
                      type: "object",
                      required: ["id", "shortDescription", "fullDescription", "help"],
                      properties: {
                        id: { type: "string", maxLength: 255 },
                        shortDescription: text,
                        fullDescription: text,
                        help: text,
                        defaultConfiguration: { type: "object" },
                      },
                      additionalProperties: false,
                    },
                  },
                },
                additionalProperties: false,
              },
            },
          },
          results: {
            type: "array",
            maxItems: 25_000,
            items: {
              type: "object",
              required: ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
              properties: {
                ruleId: { type: "string" },
                ruleIndex: { type: "integer", minimum: 0 },
                level: { enum: ["error", "warning", "note"] },
                message: text,
                partialFingerprints: { type: "object", additionalProperties: { type: "string" } },
                locations: {
                  type: "array",
                  minItems: 1,
                  maxItems: 1_000,
                  items: {
                    type: "object",
                    required: ["physicalLocation"],
                    properties: {
                      physicalLocation: {
                        type: "object",
                        required: ["artifactLocation", "region"],
                        properties: {
                          artifactLocation: {
                            type: "object",
                            required: ["uri"],
                            properties: { uri: { type: "string", pattern: "^(?![/.]|[A-Za-z][A-Za-z0-9+.-]*:)[A-Za-z0-9._~!'()*/%-]+$" } },
                            additionalProperties: false,
                          },
                          region: {
                            type: "object",
                            required: ["startLine"],
                            properties: { startLine: position, startColumn: position },
                            additionalProperties: false,
                          },
                        },
                      },
                    },
                  },
                },
              },
              additionalProperties: false,
            },
          },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
});

const refused = planOf({
  findings: [{ kind: "shadowed", path: rules.entry("web"), message: "an any/any above", origin: -1, refuses: true }],
  refusals: [
    { guard: "updates", message: "5 of 10", path: rules, allow: undefined },
    { guard: "deletes", message: "too many", path: undefined, allow: undefined },
  ],
});
const failed = (where: ConstructorParameters<typeof PlumblineError>[2]) =>
  outcome({ target: "c", folder: "net work", error: new PlumblineError("tls-untrusted", "no trust", where) });

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly message: { readonly text: string };
  readonly partialFingerprints: unknown;
  readonly locations: [
    { readonly physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number; startColumn?: number } } },
  ];
}

function results(...outcomes: Parameters<typeof renderSarif>[1]): Result[] {
  const log = JSON.parse(renderSarif("plan", outcomes));
  accepted(log);
  expect(accepted.errors).toBeNull();
  const { results, tool } = log.runs[0];
  for (const { ruleId, ruleIndex } of results as Result[]) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
  return results;
}
const placeOf = (result: Result | undefined) => result?.locations[0].physicalLocation;

describe("SARIF", () => {
  it("marks the YAML line of each change, relative to the root of the working tree", () => {
    const found = results(outcome({ folder: "net work/süd", plan: planOf() }));
    expect(placeOf(found.find(({ ruleId }) => ruleId === "plan/missing"))).toEqual({
      artifactLocation: { uri: "net%20work/s%C3%BCd/edge/rules.yaml" },
      region: { startLine: 3, startColumn: 1 },
    });
    expect(placeOf(results(outcome({ folder: "", plan: planOf() }))[0])?.artifactLocation.uri).toBe("edge/rules.yaml");
    expect(placeOf(results(outcome({ plan: planOf() }))[0])?.artifactLocation.uri).toBe("edge/rules.yaml");
  });

  it("gives an undeclared change the position of a neighbour or the configuration, because hosts require one", () => {
    const found = results(outcome({ plan: refused }));
    expect(placeOf(found.find(({ ruleId }) => ruleId === "plan/extra"))?.region.startLine).toBe(3);
    expect(placeOf(found.find(({ ruleId }) => ruleId === "refused/deletes"))).toEqual({
      artifactLocation: { uri: "plumbline.yaml" },
      region: { startLine: 1 },
    });
  });

  it("explains an error with its meaning and next step, without Markdown links", () => {
    const log = JSON.parse(renderSarif("plan", [failed({ where: { file: "a.yaml", line: 1 } })]));
    const rule = log.runs[0].tool.driver.rules.find(({ id }: { id: string }) => id === "error/tls-untrusted");
    expect(rule.fullDescription.text).toMatch(/^This machine trusts no signer/);
    expect(rule.help.text).toMatch(/^Set `tls.ca` .* See docs\/errors.md#tls-untrusted$/);
  });

  it("has positions for errors, also for absolute paths", () => {
    expect(placeOf(results(failed({ where: { file: "edge/a.yaml", line: 7, column: 2 } }))[0])).toEqual({
      artifactLocation: { uri: "net%20work/edge/a.yaml" },
      region: { startLine: 7, startColumn: 2 },
    });
    expect(placeOf(results(failed({ where: { file: "/ci/checkout/net work/plumbline.yaml", line: 4 } }))[0])).toEqual({
      artifactLocation: { uri: "net%20work/plumbline.yaml" },
      region: { startLine: 4 },
    });
    for (const file of ["/etc/passwd", "", undefined])
      expect(placeOf(results(failed({ where: { file } }))[0])?.artifactLocation.uri).toBe("net%20work/plumbline.yaml");
  });

  it("lists the most severe results first, within the limits of hosts", () => {
    const many = Array.from({ length: 6_000 }, (_, i) => ({
      kind: "missing" as const,
      path: vsys.child("address").entry(`host-${i}`),
      after: desired("entry", `host-${i}`, "x".repeat(9_000)),
    }));
    const found = results(outcome({ plan: { ...refused, changes: many } }));
    expect(found).toHaveLength(5_000);
    expect(found[0]?.ruleId).toBe("finding/shadowed");
    expect(renderSarif("plan", [outcome({ plan: { ...refused, changes: many } })])).toContain("1003 more results are omitted");
  });

  it("recognises a result in the next run although its line moved", () => {
    const [one] = results(outcome({ plan: planOf() }));
    const [same] = results(outcome({ folder: "elsewhere", plan: planOf() }));
    const [other] = results(outcome({ target: "b", plan: planOf() }));
    expect(one?.partialFingerprints).toEqual(same?.partialFingerprints);
    expect(one?.partialFingerprints).not.toEqual(other?.partialFingerprints);
  });

  it("contains no secret", () => {
    expect(JSON.stringify(results(outcome({ plan: planOf() })))).not.toContain("hunter2");
  });
});

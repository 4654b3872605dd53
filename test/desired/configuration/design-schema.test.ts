import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../src/desired/load.js";
import { kinds } from "../../../src/targets/registry.js";

const folder = mkdtempSync(join(tmpdir(), "plumbline-design-setting-"));
const file = join(folder, "plumbline.yaml");
afterAll(() => rmSync(folder, { recursive: true }));

async function design(text: string) {
  const lines = [
    "format: 1",
    "owner: netops",
    "documents: [edge]",
    `design: ${text}`,
    "targets: { edge: { kind: memory, file: edge.xml } }",
    "",
  ];
  writeFileSync(file, lines.join("\n"));
  return (await loadConfiguration(file, { environment: {}, kinds, resolveSecrets: false })).design;
}

describe("design: of plumbline.yaml", () => {
  it("contains the conventions as written", async () => {
    const text =
      '{ ruleName: "{reason} {from}-{n}", addressName: "h-{address}", serviceName: "{protocol}-{port}", tags: [], logSetting: siem, profileGroup: out, document: "{target}/rules.yaml" }';
    expect(await design(text)).toEqual({
      ruleName: "{reason} {from}-{n}",
      addressName: "h-{address}",
      serviceName: "{protocol}-{port}",
      tags: [],
      logSetting: "siem",
      profileGroup: "out",
      document: "{target}/rules.yaml",
    });
  });

  it.each([
    ['{ ruleName: "{ticket}" }', "design.ruleName has an invalid value."],
    ['{ ruleName: "a/b" }', "design.ruleName has an invalid value."],
    ['{ addressName: "{from}" }', "design.addressName has an invalid value."],
    ['{ serviceName: "{protocol}/{port}" }', "design.serviceName has an invalid value."],
    ["{ ruleName: }", "design.ruleName must be text."],
    ["{ tags: production }", "design.tags must be a sequence."],
    ["{ tags: [a, a] }", "design.tags must NOT have duplicate items (items ## 1 and 0 are identical)."],
    ["{ document: /etc/rules.yaml }", "design.document has an invalid value."],
    ["{ document: ../rules.yaml }", "design.document has an invalid value."],
    ["{ document: rules.txt }", "design.document has an invalid value."],
    ["{ logSettings: siem }", '"logSettings" is not a valid key here.'],
    ["{}", "design is empty."],
  ])("%s is refused with its line", async (text, message) => {
    await expect(design(text)).rejects.toMatchObject({
      errors: [{ code: "configuration-invalid", message, where: { line: 4 }, next: expect.stringMatching(/\w/) }],
    });
  });
});

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "vscode-languageserver/node";
import { Editor } from "./editor.js";

/** The example of this repository with the schemas that `init` writes next to a configuration. */
const folder = mkdtempSync(join(realpathSync(tmpdir()), "editor-"));
const file = (name: string): string => join(folder, name);
let byForm: Editor;
let byMeaning: Editor;

beforeAll(async () => {
  cpSync("desired-state", folder, { recursive: true });
  cpSync("schemas", file("schemas"), { recursive: true });
  execFileSync("git", ["init", "--quiet", folder]);
  [byForm, byMeaning] = await Promise.all([
    Editor.start([resolve("node_modules/yaml-language-server/bin/yaml-language-server")], folder),
    Editor.start([resolve("dist/cli.js"), "lsp"], folder),
  ]);
});

afterAll(async () => {
  await Promise.all([byForm?.end(), byMeaning?.end()]);
  rmSync(folder, { recursive: true });
});

/** `line: message`, with the underlined text. */
function said(text: string, found: readonly Diagnostic[]): string[] {
  const lines = text.split("\n");
  return found.map(({ range: { start, end }, message }) => {
    const underlined = lines[start.line]?.slice(start.character, end.line === start.line ? end.character : undefined);
    return `${underlined}: ${message}`;
  });
}

async function hoverText(document: string, key: string): Promise<string> {
  return (JSON.parse(await byForm.hover(document, key.slice(0, -1))) as { readonly value: string } | null)?.value ?? "";
}

const schemaLine = (kind: string): string => `# yaml-language-server: $schema=../schemas/${kind}.schema.json\n`;
const rules = (): string =>
  `${schemaLine("panos")}${readFileSync("desired-state/edge/rules/security.yaml", "utf8")}`.replace("=../", "=../../");

/** Diagnostics of both servers for a rule file after a text replacement. */
async function both(from: string, to: string): Promise<{ readonly form: string[]; readonly meaning: string[] }> {
  const right = rules();
  expect(right).toContain(from);
  const text = right.replace(from, to);
  const [form, meaning] = await Promise.all([byForm, byMeaning].map((editor) => editor.show(file("edge/rules/security.yaml"), text)));
  return { form: said(text, form ?? []), meaning: said(text, meaning ?? []) };
}

describe("an editor with yaml-language-server and plumbline lsp", () => {
  it("shows no problem in valid documents", async () => {
    const documents = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      /^(edge|cloud|fabric)\/.*\.yaml$/.test(name),
    );
    expect(documents.length).toBeGreaterThan(5);
    const kinds: Readonly<Record<string, string>> = { edge: "panos", cloud: "openstack", fabric: "contrail" };
    for (const name of [...documents, "plumbline.yaml"]) {
      const kind = kinds[name.split("/")[0] ?? ""] ?? "plumbline";
      const text = readFileSync(file(name), "utf8");
      const line = `# yaml-language-server: $schema=${"../".repeat(name.split("/").length - 1)}schemas/${kind}.schema.json\n`;
      expect([name, said(text, await byForm.show(file(name), line + text))]).toEqual([name, []]);
      expect([name, said(text, await byMeaning.show(file(name), text))]).toEqual([name, []]);
    }
  });

  it("shows an invalid value from both servers, at the value or its key", async () => {
    const { form, meaning } = await both("action: allow", "action: allwo");
    expect(form).toEqual([expect.stringMatching(/^allwo: Value is not accepted\. Valid values: "deny", "allow"/)]);
    expect(meaning).toEqual([expect.stringMatching(/^action: "allwo" is not one of .*Did you mean "allow"\?/)]);
  });

  it("shows a scalar in place of a list at that field, and not at scope:", async () => {
    const { form, meaning } = await both("from: [web, db, office]", "from: DMZ");
    expect(form).toEqual([expect.stringMatching(/^DMZ: Incorrect type\. Expected "array/)]);
    expect(meaning).toHaveLength(1);
  });

  it("shows an invalid address", async () => {
    const name = file("edge/new.yaml");
    const text = `${schemaLine("panos")}target: edge\nscope: vsys1\nconfig:\n  address:\n    a: { ip-netmask: 10.9.9.999 }\n`;
    // A document that cannot be read is not checked.
    await byMeaning.show(file("edge/rules/security.yaml"), rules());
    expect(said(text, await byForm.show(name, text))).toEqual(["10.9.9.999: Must be an IP address, or a network as ADDRESS/LENGTH."]);
    expect(said(text, await byMeaning.show(name, text))).toEqual([
      expect.stringMatching(/^ip-netmask: "10\.9\.9\.999" is not an IP address/),
    ]);
    // The schema accepts errors that only the complete desired state reveals.
    for (const open of ["${env:ADDRESS}", "$variable", "10.0.${value:site}.1"])
      expect(await byForm.show(name, text.replace("10.9.9.999", `"${open}"`))).toEqual([]);
    expect(await byMeaning.show(name, text.replace("10.9.9.999", "10.9.9.9"))).toEqual([]);
  });

  it("shows unknown fields, undeclared names and unknown targets from plumbline lsp", async () => {
    const field = await both("application:", "aplication:");
    expect(field).toEqual({ form: [], meaning: [expect.stringMatching(/^aplication: .*Did you mean "application"\?/)] });
    const name = await both("source: [web-servers]", "source: [web-servrs]");
    expect(name).toEqual({ form: [], meaning: [expect.stringMatching(/^web-servrs: .*Did you mean "web-servers"\?/)] });
    const target = await both("target: edge", "target: egde");
    expect(target.form).toEqual([]);
    expect(target.meaning.join()).toContain('Did you mean "edge"?');
  });

  it("shows problems of header keys and of plumbline.yaml from both", async () => {
    const header = await both("scope: vsys1", "scop: vsys1");
    expect(header.form.join("\n")).toContain("Property scop is not allowed.");
    expect(header.meaning.join("\n")).toContain("scop");
    const text = readFileSync(file("plumbline.yaml"), "utf8").replace("format: 1", "format: one");
    const line = "# yaml-language-server: $schema=schemas/plumbline.schema.json\n";
    expect(said(line + text, await byForm.show(file("plumbline.yaml"), line + text)).join()).toMatch(/one: /);
    expect(await byMeaning.show(file("plumbline.yaml"), text)).toEqual([expect.objectContaining({ code: "configuration-invalid" })]);
    await byMeaning.show(file("plumbline.yaml"), readFileSync(file("plumbline.yaml"), "utf8"));
  });

  it("completes keys and values from one server, and object names from the other", async () => {
    const name = file("edge/rules/security.yaml");
    await both("action: allow", "action: allow");
    const words = await byForm.completions(name, "action: ");
    expect(words).toEqual(expect.arrayContaining(["allow", "deny", "reset-both"]));
    expect(words).not.toContain("true");
    expect(await byForm.completions(name, "destination: [")).not.toContain("true");
    expect(await byMeaning.completions(name, "source: [")).toEqual(expect.arrayContaining(["web-servers", "any"]));
    const begun = `${rules()}          dis`;
    await byForm.show(name, begun);
    expect(await byForm.completions(name, "          dis")).toEqual(expect.arrayContaining(["disabled", "disable-inspect"]));
  });

  it("heads a hover with the title of the schema once", async () => {
    const name = file("edge/rules/security.yaml");
    await byForm.show(name, rules());
    for (const key of ["scop", "from: [w", "acti", "config", "owns", "security:"]) {
      const { value } = JSON.parse(await byForm.hover(name, key)) as { readonly value: string };
      expect([key, value.split("\n")[0]]).toEqual([key, expect.not.stringContaining("||")]);
    }
  });

  it("heads a hover with the name of the field", async () => {
    const name = file("edge/rules/security.yaml");
    await byForm.show(name, rules());
    const configuration = file("plumbline.yaml");
    const text = readFileSync(configuration, "utf8");
    await byForm.show(configuration, `# yaml-language-server: $schema=schemas/plumbline.schema.json\n${text}`);
    const title = async (document: string, key: string) => /^#### (.*)$/m.exec(await hoverText(document, key))?.[1];
    const fields = {
      target: "target:",
      scope: "scope:",
      config: "config:",
      rulebase: "config:\n  ruleba:",
      action: "action:",
      from: "from: [w",
      service: "service:",
    };
    for (const [field, key] of Object.entries(fields)) expect([field, await title(name, key)]).toEqual([field, field]);
    for (const key of ["format", "owner", "targets", "kind", "mode", "guards"])
      expect([key, await title(configuration, `${key}:`)]).toEqual([key, key]);
  });

  it("shows the type of a field, its default, its reference and where that is declared", async () => {
    const name = file("edge/rules/security.yaml");
    await both("action: allow", "action: allow");
    expect(await byForm.hover(name, "acti")).toMatch(/Allowed Values.*reset-both/);
    expect(await byForm.hover(name, "fro")).toContain("Refers to: zone. Reserved values: any");
    expect(await byMeaning.hover(name, "source: [web-ser")).toMatch(/Declared at edge\/.*\.yaml:\d+/);
    const text = readFileSync(file("plumbline.yaml"), "utf8");
    await byForm.show(file("plumbline.yaml"), `# yaml-language-server: $schema=schemas/plumbline.schema.json\n${text}`);
    expect(await byForm.hover(file("plumbline.yaml"), "owne")).not.toBe("null");
  });
});

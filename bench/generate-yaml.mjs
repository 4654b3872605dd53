/**
 * Writes the desired state that matches `generate.mjs` with the same options:
 *   node bench/generate-yaml.mjs [the same options] [--only addresses,rules,services,groups,tags] > vsys1.yaml
 * Writes one document with scope vsys1 and the values of the XML, so a plan against that firewall is empty.
 */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { generateModel } from "./generate-model.mjs";

const SECTIONS = ["tags", "addresses", "groups", "services", "rules"];

export function generateYaml({ target = "edge", only = SECTIONS, ...sizes } = {}) {
  const model = generateModel(sizes);
  const lines = [`target: ${target}`, "scope: vsys1", "config:"];
  const wanted = (section) => only.includes(section) && model[section].length > 0;
  const list = (values) => `[${values.map(quote).join(", ")}]`;
  if (wanted("tags")) {
    lines.push("  tag:");
    for (const tag of model.tags) lines.push(`    ${quote(tag.name)}: { color: ${tag.color}, comments: ${quote(tag.comments)} }`);
  }
  if (wanted("addresses")) {
    lines.push("  address:");
    for (const address of model.addresses) {
      const fields = Object.entries(address.value).map(([tag, text]) => `${tag}: ${quote(text)}`);
      if (address.description !== undefined) fields.push(`description: ${quote(address.description)}`);
      if (address.tags.length > 0) fields.push(`tag: ${list(address.tags)}`);
      lines.push(`    ${quote(address.name)}: { ${fields.join(", ")} }`);
    }
  }
  if (wanted("groups")) {
    lines.push("  address-group:");
    for (const group of model.groups) lines.push(`    ${quote(group.name)}: { static: ${list(group.members)} }`);
  }
  if (wanted("services")) {
    lines.push("  service:");
    for (const service of model.services)
      lines.push(`    ${quote(service.name)}: { protocol: { ${service.protocol}: { port: ${quote(service.port)} } } }`);
  }
  if (wanted("rules")) {
    lines.push("  rulebase:", "    security:", "      rules:");
    for (const rule of model.rules) lines.push(...ruleLines(rule, list));
  }
  return `${lines.join("\n")}\n`;
}

function ruleLines(rule, list) {
  const fields = [
    `name: ${quote(rule.name)}`,
    `description: ${quote(rule.description)}`,
    `tag: ${list(rule.tags)}`,
    `from: ${list(rule.from)}`,
    `to: ${list(rule.to)}`,
    `source: ${list(rule.source)}`,
    `destination: ${list(rule.destination)}`,
    `source-user: ${list(rule.sourceUser)}`,
    "category: [any]",
    `application: ${list(rule.application)}`,
    `service: ${list(rule.service)}`,
    `action: ${rule.action}`,
    'log-start: "no"',
    'log-end: "yes"',
    "rule-type: universal",
  ];
  if (rule.disabled) fields.push('disabled: "yes"');
  return fields.map((field, index) => `        ${index === 0 ? "-" : " "} ${field}`);
}

/** Returns a plain scalar if YAML reads it as the same string, also in a flow collection, and a single-quoted one otherwise. */
function quote(text) {
  return /^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const text = { type: "string" };
  const { values } = parseArgs({
    options: { addresses: text, rules: text, services: text, groups: text, seed: text, target: text, only: text },
  });
  const options = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, key === "target" ? value : key === "only" ? value.split(",") : Number(value)]),
  );
  const bytes = Buffer.from(generateYaml(options));
  for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
}

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPlanFile } from "../src/cli/plan-file.js";
import { schemas } from "../src/cli/write-schemas.js";
import { version } from "../src/core/version.js";
import { DIRECTIVES } from "../src/desired/body/directive-table.js";
import { loadDesired } from "../src/desired/load.js";
import { decodeRecord } from "../src/engine/ledger/codec.js";
import { kinds } from "../src/targets/registry.js";
import { helpOf } from "./cli/help.js";

/** What docs/upgrading.md promises to keep, as lists of which nothing may go: a folder a version, of this major one. */
const FOLDER = "test/promise";
type Contract = Readonly<Record<string, readonly string[]>>;

/** Commands, and `command --flag`. */
async function commandLines(): Promise<string[]> {
  const help = await helpOf();
  const commands = [...help.matchAll(/^ {2}([a-z]+)(?: \[| <| {2})/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  const lines = commands.map(async (command) => {
    const flags = [...(await helpOf(command)).matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => `${command} ${flag}`);
    return [command, ...flags];
  });
  return (await Promise.all(lines)).flat();
}

/** `targets[].exitCode integer`: each field of a schema by its path, with its type or its words. */
function fieldsOf(schema: unknown, at = ""): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {}, items, definitions = {}, type, enum: words, const: word, ...rest } = schema as Record<string, unknown>;
  const told = [type, words, word]
    .filter((each) => each !== undefined)
    .map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  const alternatives = ["anyOf", "oneOf", "allOf"].flatMap((key) => (Array.isArray(rest[key]) ? (rest[key] as unknown[]) : []));
  return [
    ...(at === "" || told.length === 0 ? [] : [`${at} ${told.join(" ")}`]),
    ...Object.entries(properties as object).flatMap(([name, inner]) => [`${at}.${name}`, ...fieldsOf(inner, `${at}.${name}`)]),
    ...fieldsOf(items, `${at}[]`),
    ...alternatives.flatMap((inner) => fieldsOf(inner, at)),
    ...Object.entries(definitions as object).flatMap(([name, inner]) => fieldsOf(inner, `#${name}`)),
  ];
}

const header = (file: string): object => ({ properties: (schemas.get(file) as { properties: object }).properties });

const contract = async (): Promise<Contract> => ({
  commands: await commandLines(),
  exitCodes: /Exit codes: (.*)/.exec(await helpOf())?.[1]?.split(" · ") ?? [],
  errors: readdirSync("docs/errors").map((file) => file.replace(/\.md$/, "")),
  report: fieldsOf(schemas.get("report.schema.json")),
  configuration: fieldsOf(schemas.get("plumbline.schema.json")),
  documents: ["panos", "openstack", "contrail"].flatMap((kind) => fieldsOf(header(`${kind}.schema.json`), kind)),
  directives: Object.keys(DIRECTIVES),
});

/** What people write: a field that takes one word more takes what it took. What is read of us must say no new word unforeseen. */
const WRITTEN = ["configuration", "documents"];

function isKept(line: string, name: string, now: readonly string[] = []): boolean {
  const [, at = "", words] = /^(\S+) (\[".*\])$/.exec(line) ?? [];
  if (now.includes(line) || words === undefined || !WRITTEN.includes(name)) return now.includes(line);
  const taken = now.flatMap((each) => (each.startsWith(`${at} [`) ? [JSON.parse(each.slice(at.length)) as string[]] : []));
  return taken.some((more) => (JSON.parse(words) as string[]).every((word) => more.includes(word)));
}

const major = version.split(".")[0];
const promised = readdirSync(FOLDER).filter((name) => name.split(".")[0] === major);

/** `PLUMBLINE_PROMISE=record npx vitest run test/promise.test.ts` writes down what this version promises, before it is released. */
if (process.env.PLUMBLINE_PROMISE === "record") {
  mkdirSync(join(FOLDER, version), { recursive: true });
  const lists = Object.entries(await contract()).map(([name, lines]) => [name, [...new Set(lines)].sort()]);
  writeFileSync(join(FOLDER, version, "contract.json"), `${JSON.stringify(Object.fromEntries(lists), undefined, 1)}\n`);
}

it("is written down for this version", () => {
  expect(existsSync(join(FOLDER, version, "contract.json")), "record it, see above").toBe(true);
});

describe.each(promised)("what version %s promised", (of) => {
  const read = (file: string): string => readFileSync(join(FOLDER, of, file), "utf8");

  it("is here: commands, flags, exit codes, error codes, keys of the configuration and of documents, fields of the report", async () => {
    const now = await contract();
    for (const [name, lines] of Object.entries(JSON.parse(read("contract.json")) as Contract)) {
      expect(lines.length, name).toBeGreaterThan(0);
      expect(
        lines.filter((line) => !isKept(line, name, now[name])),
        name,
      ).toEqual([]);
    }
  });

  it("is read: a plan that it saved", async () => {
    const { digests, effects } = await readPlanFile(join(FOLDER, of, "plan.json"));
    expect([...(digests ?? [])]).toEqual([["edge", "a36d0fdc8e9cfc5ad6b7b6d7fbc6f86a6f6a1b0d9bd8cf05b0b39e7d0cb1a4f1"]]);
    expect([...(effects?.keys() ?? [])]).toEqual(["edge"]);
  });

  it("is read: a ledger that it wrote", () => {
    expect(decodeRecord(read("ledger.json"))).toMatchObject({
      owner: "netops",
      target: "edge",
      paths: expect.arrayContaining(["/config/shared/tag/entry[@name='a']"]),
    });
  });

  it("is read: a desired state, with nothing to say of it", async () => {
    const file = join(FOLDER, of, "desired-state/plumbline.yaml");
    const loaded = await loadDesired(file, { environment: {}, kinds, today: "2026-01-01", resolveSecrets: false });
    expect([...loaded.targets.keys()]).toEqual(["edge", "cloud"]);
    expect(loaded.warnings).toEqual([]);
  });
});

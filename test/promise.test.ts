import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPlanFile } from "../src/cli/plan-file.js";
import { schemas } from "../src/cli/write-schemas.js";
import { version } from "../src/core/version.js";
import { DIRECTIVES } from "../src/desired/body/directive-table.js";
import { loadDesired } from "../src/desired/load.js";
import { decodeRecord } from "../src/engine/ledger/codec.js";
import { errorReference } from "../src/report/error-reference/all.js";
import { kinds } from "../src/targets/registry.js";
import { helpOf } from "./cli/help.js";

/** The compatibility contracts of released versions (docs/upgrading.md), one folder per version: no entry of a list may disappear. */
const FOLDER = "test/promise";
type Contract = Readonly<Record<string, readonly string[]>>;

/** Returns `command` and `command --flag`. */
async function commandLines(): Promise<string[]> {
  const help = await helpOf();
  const commands = [...help.matchAll(/^ {2}([a-z]+)(?: \[| <| {2})/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  const lines = commands.map(async (command) => {
    const flags = [...(await helpOf(command)).matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => `${command} ${flag}`);
    return [command, ...flags];
  });
  return (await Promise.all(lines)).flat();
}

/** Returns each field of a schema with its type or its values, such as `targets[].exitCode integer`. */
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
  errors: Object.keys(errorReference),
  report: fieldsOf(schemas.get("report.schema.json")),
  configuration: fieldsOf(schemas.get("plumbline.schema.json")),
  documents: ["panos", "openstack", "contrail"].flatMap((kind) => fieldsOf(header(`${kind}.schema.json`), kind)),
  directives: Object.keys(DIRECTIVES),
});

/** Lists of input. An input field may accept more values; an output field may not contain new ones. */
const WRITTEN = ["configuration", "documents"];

function isKept(line: string, name: string, now: readonly string[] = []): boolean {
  const [, at = "", words] = /^(\S+) (\[".*\])$/.exec(line) ?? [];
  if (now.includes(line) || words === undefined || !WRITTEN.includes(name)) return now.includes(line);
  const taken = now.flatMap((each) => (each.startsWith(`${at} [`) ? [JSON.parse(each.slice(at.length)) as string[]] : []));
  return taken.some((more) => (JSON.parse(words) as string[]).every((word) => more.includes(word)));
}

/** Returns the entries of a contract that no longer hold. */
function broken(promise: Contract, now: Contract): string[] {
  return Object.entries(promise).flatMap(([name, lines]) =>
    lines.filter((line) => !isKept(line, name, now[name])).map((line) => `${name}: ${line}`),
  );
}

const major = version.split(".")[0];
const promised = readdirSync(FOLDER).filter((name) => name.split(".")[0] === major);

/**
 * `PLUMBLINE_PROMISE=record npx vitest run test/promise.test.ts` records the contract of this version before its release.
 * `npm run release -- notes TAG` fails without it.
 */
if (process.env.PLUMBLINE_PROMISE === "record") {
  mkdirSync(join(FOLDER, version), { recursive: true });
  const lists = Object.entries(await contract()).map(([name, lines]) => [name, [...new Set(lines)].sort()]);
  writeFileSync(join(FOLDER, version, "contract.json"), `${JSON.stringify(Object.fromEntries(lists), undefined, 1)}\n`);
}

it("this version has a contract that it keeps", async () => {
  const now = await contract();
  for (const [name, lines] of Object.entries(now)) expect(lines.length, name).toBeGreaterThan(0);
  expect(broken(now, now)).toEqual([]);
});

it("a contract is broken by a missing command, a changed type and a missing input value, but not by a new input value", () => {
  const now = { commands: ["plan"], report: [".format integer"], configuration: ['.mode ["observe","enforce"]'] };
  expect(broken({ commands: ["plan", "gone"] }, now)).toEqual(["commands: gone"]);
  expect(broken({ report: [".format string"] }, now)).toEqual(["report: .format string"]);
  expect(broken({ configuration: ['.mode ["observe"]'] }, now)).toEqual([]);
  expect(broken({ configuration: ['.mode ["observe","other"]'] }, now)).toEqual(['configuration: .mode ["observe","other"]']);
  expect(broken({ report: ['.mode ["observe"]'] }, { report: now.configuration })).toHaveLength(1);
});

it.each(promised)("version %s: its commands, exit codes, error codes, keys and report fields still exist", async (of) => {
  expect(broken(JSON.parse(readFileSync(join(FOLDER, of, "contract.json"), "utf8")) as Contract, await contract())).toEqual([]);
});

describe("a file of an earlier version is still read", () => {
  const samples = join(FOLDER, "samples");

  it("a saved plan", async () => {
    const { digests, effects } = await readPlanFile(join(samples, "plan.json"));
    expect([...(digests ?? [])]).toEqual([["edge", "a36d0fdc8e9cfc5ad6b7b6d7fbc6f86a6f6a1b0d9bd8cf05b0b39e7d0cb1a4f1"]]);
    expect([...(effects?.keys() ?? [])]).toEqual(["edge"]);
  });

  it("a ledger", () => {
    expect(decodeRecord(readFileSync(join(samples, "ledger.json"), "utf8"))).toMatchObject({
      owner: "netops",
      target: "edge",
      paths: expect.arrayContaining(["/config/shared/tag/entry[@name='a']"]),
    });
  });

  it("a desired state, without warnings", async () => {
    const file = join(samples, "desired-state/plumbline.yaml");
    const loaded = await loadDesired(file, { environment: {}, kinds, today: "2026-01-01", resolveSecrets: false });
    expect([...loaded.targets.keys()]).toEqual(["edge", "cloud"]);
    expect(loaded.warnings).toEqual([]);
  });
});

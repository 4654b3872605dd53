import { basename, dirname, resolve } from "node:path";
import { type Document, isMap, isNode, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from "yaml";
import { PlumblineError, PlumblineErrors, type Where } from "../../core/errors.js";
import { compileGlob, GlobError } from "../../core/glob.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import { approvedOrigins } from "../approved.js";
import type { CommandPolicy } from "../commands.js";
import type { DocumentFolders } from "../files.js";
import type { Fleet } from "../fleet.js";
import type { KindRegistry } from "../kind.js";
import { Problems } from "../problems.js";
import { SecretReader } from "../secrets.js";
import { SourceFile } from "../source-file.js";
import { nearest } from "../suggest.js";
import { readAgent } from "./agent.js";
import type { Configuration, GuardLimits, Mode, TargetConfiguration } from "./configuration.js";
import { duplicateKeys, readConfigurationText } from "./configuration-text.js";
import { checkChannelEncryption, checkEncryption, checkOrigins } from "./credential-origins.js";
import { CredentialReader } from "./credential-reader.js";
import { fleetOf } from "./fleet.js";
import type { settingsSchema } from "./schema.js";
import { schemaErrors } from "./schema-errors.js";
import { storeTemplate } from "./store.js";
import { readTargets, type TargetTexts, withReferred } from "./target.js";
import { overridesOf } from "./target-context.js";
import type { TextOf } from "./text-of.js";
import { type Validator, validatorFor } from "./validator.js";

const MAX_ALIASES = 100;

export interface ConfigurationOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly kinds: KindRegistry;
  /** False leaves `${env:}`, `${file:}` and `${exec:}` of credentials symbolic. Default: true. */
  readonly resolveSecrets?: boolean | undefined;
  /** Commands of `${exec:}` that may run. Default: none. */
  readonly mayRun?: CommandPolicy | undefined;
  /** Resolve the credentials of these targets only. All if undefined or empty. */
  readonly targets?: readonly string[] | undefined;
}

export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly folders: DocumentFolders;
  readonly secrets: SecretReader;
  readonly fleet: Fleet;
}

/** `plumbline.yaml` as written, with targets of any kind. */
type ConfigurationText = TextOf<typeof settingsSchema> & { readonly targets: TargetTexts };

/** `plumbline.yaml`, parsed and checked against its schema. It contains no secrets, so callers may cache it. */
export interface ConfigurationFile {
  /** Absolute path. */
  readonly file: string;
  readonly source: SourceFile;
  readonly document: Document;
  readonly text: ConfigurationText;
}

/**
 * Parses `plumbline.yaml`.
 *
 * @throws PlumblineErrors with all syntax and schema errors
 */
export async function parseConfiguration(path: string, kinds: KindRegistry): Promise<ConfigurationFile> {
  const file = resolve(path);
  return await parseConfigurationText(file, await readConfigurationText(file), kinds);
}

/** Parses a text that was read from `file`, an absolute path. */
export async function parseConfigurationText(file: string, text: string, kinds: KindRegistry): Promise<ConfigurationFile> {
  const problems = new Problems();
  const source = new SourceFile(basename(file), text);
  const document = parse(source, problems);
  const checked = check(source, document, problems, kinds, await validatorFor(kinds));
  problems.throwIfAny();
  return { file, source, document, text: checked };
}

/**
 * Reads `plumbline.yaml`.
 *
 * @throws PlumblineErrors with all errors
 */
export async function readConfiguration(path: string, options: ConfigurationOptions): Promise<ReadConfiguration> {
  return await readParsed(await parseConfiguration(path, options.kinds), options);
}

/**
 * Cached results that do not depend on the caller: targets without their secrets. Loading one of thousands of targets must not read all of
 * them again.
 */
interface ReadBefore {
  readonly environment: ConfigurationOptions["environment"];
  /** In file order. */
  readonly names: readonly string[];
  readonly targets: Map<string, TargetConfiguration>;
  pathModes: Configuration["pathModes"] | undefined;
}

const before = new WeakMap<ConfigurationFile, ReadBefore>();

function readBefore(parsed: ConfigurationFile, environment: ConfigurationOptions["environment"]): ReadBefore {
  const known = before.get(parsed);
  if (known?.environment === environment) return known;
  const nothing = { environment, names: namesOf(parsed.document), targets: new Map(), pathModes: undefined };
  before.set(parsed, nothing);
  return nothing;
}

/**
 * Applies defaults and overrides, and reads secrets.
 *
 * @throws PlumblineErrors with all errors
 */
export async function readParsed(parsed: ConfigurationFile, options: ConfigurationOptions): Promise<ReadConfiguration> {
  const { file, source, document, text } = parsed;
  const folder = dirname(file);
  const problems = new Problems();
  const secrets = new SecretReader(options.environment, folder, options.mayRun);
  const chosen = withReferred(options.targets ?? [], text.targets, options.kinds);
  const credentials = new CredentialReader({
    secrets,
    problems,
    where: (keys) => whereOf(source, document, keys),
    resolves: (name) => options.resolveSecrets !== false && (name === undefined || chosen.size === 0 || chosen.has(name)),
  });
  const known = readBefore(parsed, options.environment);
  const isRead = (name: string): boolean => known.targets.has(name) && chosen.size > 0 && !chosen.has(name);
  const read = await readTargets(
    known.names.filter((name) => !isRead(name)),
    text.targets,
    options.kinds,
    (name) => ({
      name,
      folder,
      credentials,
      ...overridesOf(name, options.environment),
      invalid: (keys, message, next) =>
        problems.error(
          new PlumblineError("configuration-invalid", message, {
            where: { ...whereOf(source, document, ["targets", name, ...keys]), target: name },
            next,
          }),
        ),
    }),
  );
  const targetWhere = (name: string): Where => ({ ...whereOf(source, document, ["targets", name]), target: name });
  checkEncryption(read.values(), { kinds: options.kinds, problems, where: targetWhere });
  checkChannelEncryption(text.agent?.notify ?? {}, problems, (name) => whereOf(source, document, ["agent", "notify", name]));
  const maySend = options.resolveSecrets === false ? undefined : approvedOrigins(options.environment.PLUMBLINE_APPROVED, folder);
  if (options.resolveSecrets !== false)
    checkOrigins(chosen.size === 0 ? read.values() : [...read.values()].filter(({ name }) => chosen.has(name)), {
      maySend,
      kinds: options.kinds,
      problems,
      referencesOf: (name) => credentials.referencesOf(name),
      targetNamed: (name) => read.get(name) ?? known.targets.get(name),
      where: targetWhere,
    });
  const fingerprintKey = await credentials.fingerprintKey(text.fingerprintKey);
  checkStore(text.store, whereOf(source, document, ["store"]), problems);
  checkPatterns(text.exclude ?? [], (index) => whereOf(source, document, ["exclude", String(index)]), problems);
  const pathModes = known.pathModes ?? readPathModes(parsed, problems);
  const fleet = fleetOf(parsed, problems);
  problems.throwIfAny();
  known.pathModes = pathModes;
  if (chosen.size > 0) for (const [name, target] of read) if (!chosen.has(name)) known.targets.set(name, target);
  const targets = new Map(known.names.map((name) => [name, (read.get(name) ?? known.targets.get(name)) as TargetConfiguration]));
  return {
    configuration: {
      file,
      folder,
      ...asWritten(text),
      targets,
      guards: readGuards(text.guards ?? {}),
      agent: readAgent(text.agent ?? {}, folder, targets.size),
      pathModes,
      fingerprintKey,
    },
    folders: { root: folder, configurationFile: basename(file), documents: text.documents, exclude: text.exclude ?? [] },
    secrets,
    fleet,
  };
}

/** Returns the settings that are used as they are written. */
function asWritten({ owner, ledger, store, administrators = [], design }: ConfigurationText) {
  return { owner, ledger, store, administrators, design };
}

/** Checks `store:` for every caller, although only callers that open the store read it (`readStoreSetting`). */
function checkStore(store: string | undefined, where: Where, problems: Problems): void {
  try {
    if (store !== undefined) storeTemplate(store, where);
  } catch (cause) {
    if (!(cause instanceof PlumblineError)) throw cause;
    problems.error(cause);
  }
}

function checkPatterns(patterns: readonly string[], where: (index: number) => Where, problems: Problems): void {
  for (const [index, pattern] of patterns.entries()) {
    try {
      compileGlob(pattern);
    } catch (cause) {
      if (!(cause instanceof GlobError)) throw cause;
      problems.error(
        new PlumblineError("configuration-invalid", `exclude: the pattern "${pattern}" ${cause.message}.`, {
          where: where(index),
          next: "Write it with *, **, ?, [a-z] and {a,b}.",
        }),
      );
    }
  }
}

function readPathModes({ source, document, text: { targets } }: ConfigurationFile, problems: Problems): Configuration["pathModes"] {
  const all = new Map<string, ReadonlyMap<string, Mode>>();
  for (const [name, { modes }] of Object.entries(targets)) {
    if (modes === undefined) continue;
    for (const xpath of Object.keys(modes)) {
      try {
        parsePath(xpath);
      } catch (cause) {
        if (!(cause instanceof PlumblineError)) throw cause;
        problems.error(
          new PlumblineError(cause.code, cause.message, {
            where: { ...whereOf(source, document, ["targets", name, "modes", xpath], true), target: name },
            next: cause.next,
          }),
        );
      }
    }
    all.set(name, new Map(Object.entries(modes)));
  }
  return all;
}

function parse(source: SourceFile, problems: Problems): Document {
  const options = { version: "1.2", schema: "core", merge: false, prettyErrors: false, logLevel: "silent", uniqueKeys: false } as const;
  const document = parseDocument(source.text, options);
  const faults = [...document.errors, ...document.warnings].map(({ message, pos }) => ({ message, offset: pos[0] }));
  const duplicates = duplicateKeys(document, source.text).map((offset) => ({ message: "Map keys must be unique", offset }));
  for (const { message, offset } of [...faults, ...duplicates])
    problems.error(
      new PlumblineError("configuration-invalid", `The file is not valid YAML: ${message}`, {
        where: source.where(offset),
        next: "Correct this line or the previous line.",
      }),
    );
  problems.throwIfAny();
  return document;
}

function check(source: SourceFile, document: Document, problems: Problems, kinds: KindRegistry, validator: Validator): ConfigurationText {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    throw new PlumblineErrors([
      new PlumblineError("configuration-invalid", `The file is not valid YAML: ${(cause as Error).message}`, {
        where: source.where(0),
        next: "Write the values out instead of using aliases.",
      }),
    ]);
  }
  checkKinds(source, document, problems, kinds);
  problems.throwIfAny();
  const { schema, validate } = validator;
  const where = (keys: readonly string[], atKey?: boolean) => whereOf(source, document, keys, atKey);
  if (!validate(value)) for (const error of schemaErrors(validate.errors ?? [], schema, where)) problems.error(error);
  problems.throwIfAny();
  return value as ConfigurationText;
}

function checkKinds(source: SourceFile, document: Document, problems: Problems, kinds: KindRegistry): void {
  const known = [...kinds.keys()];
  const targets = document.get("targets");
  for (const { key, value } of isMap(targets) ? targets.items : []) {
    const name = textOf(key);
    const kind = isMap(value) ? value.get("kind") : undefined;
    if (kind === undefined || kinds.has(String(kind))) continue;
    const meant = nearest(String(kind), known);
    problems.error(
      new PlumblineError("kind-not-supported", `Targets of kind "${String(kind)}" are not in this version.`, {
        where: { ...whereOf(source, document, ["targets", name, "kind"]), target: name },
        next: `${meant === undefined ? "" : `Did you mean "${meant}"? `}Supported kinds: ${known.join(", ")}.`,
      }),
    );
  }
}

/** Returns the target names in file order. JavaScript would move names that look like numbers. */
function namesOf(document: Document): string[] {
  const targets = document.get("targets");
  return isMap(targets) ? targets.items.map(({ key }) => textOf(key)) : [];
}

/** Returns the place of the value at `keys`, or of its key. If it does not exist, returns the place of the nearest ancestor. */
function whereOf(source: SourceFile, document: Document, keys: readonly string[], atKey = false): Where {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const key of keys) {
    const pair = isMap(node) ? pairOf(node, key) : undefined;
    node = isSeq(node) ? node.get(key, true) : pair?.value;
    offset = startOf(atKey && pair !== undefined ? pair.key : node) ?? offset;
  }
  return source.where(offset);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** Maps with more keys get an index. Otherwise each lookup of a target's place would search all targets. */
const FEW_KEYS = 12;
const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  if (map.items.length <= FEW_KEYS) return map.items.find((pair) => textOf(pair.key) === key);
  const index = indexes.get(map) ?? new Map(map.items.toReversed().map((pair) => [textOf(pair.key), pair]));
  indexes.set(map, index);
  return index.get(key);
}

/** Returns the text of a parsed key. */
function textOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

/** Applies the defaults of `guards:` (docs/guards.md#guards). */
function readGuards(text: NonNullable<ConfigurationText["guards"]>): GuardLimits {
  return {
    updates: share(text.updates ?? 0.3),
    deletes: share(text.deletes ?? 0.3),
    from: text.from ?? 10,
    short: share(text.short ?? 0.5),
    emptyList: text.emptyList ?? "refuse",
    deletesPerDay: text.deletesPerDay,
    targets: text.targets ?? 10,
  };
}

/** Converts `30%` to 0.3. */
function share(value: string | number): number {
  return typeof value === "number" ? value : Number(value.slice(0, -1)) / 100;
}

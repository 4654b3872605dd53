import { PlumblineError } from "../core/errors.js";
import type { Configuration } from "./configuration/configuration.js";
import { type ConfigurationOptions, parseConfiguration, readConfiguration, readParsed } from "./configuration/read.js";
import { readDocuments, readNamed } from "./files.js";
import type { Fleet } from "./fleet.js";
import { readHeader } from "./header.js";
import { findExpired } from "./ignores.js";
import type { DesiredKind } from "./kind.js";
import type { LoadedDesired, LoadOptions, TargetReferences } from "./loaded.js";
import type { DesiredTarget } from "./model.js";
import { Problems, sortByPlace } from "./problems.js";
import { readSecrets } from "./read-secrets.js";
import { References } from "./references.js";
import { type KindOf, selectorOf } from "./selector.js";
import type { SourceFile } from "./source-file.js";
import { TargetAssembly } from "./target-assembly.js";
import { isSecretReference, type SecretReference } from "./template.js";
import { UnresolvableTargets } from "./unresolvable-targets.js";
import { readYaml } from "./yaml/read.js";

/** Number of characters of documents to read before the event loop gets a turn. */
const AT_ONCE = 262_144;

/**
 * Reads only `plumbline.yaml`.
 *
 * @throws PlumblineErrors
 */
export async function loadConfiguration(file: string, options: ConfigurationOptions): Promise<Configuration> {
  return (await readConfiguration(file, options)).configuration;
}

/**
 * Loads a complete desired state: `plumbline.yaml`, every document, one tree per target, with references and secrets resolved
 * (docs/desired-state.md#plumblineyaml). Never returns a partially loaded state. Errors in references to live values do not throw: the
 * result lists them in `broken`.
 *
 * @throws PlumblineErrors with all other errors, each with file, line and column
 */
export async function loadDesired(configFile: string, options: LoadOptions): Promise<LoadedDesired> {
  const parsed = options.parsed ?? (await parseConfiguration(configFile, options.kinds));
  const { configuration, folders, secrets, fleet } = await readParsed(parsed, options);
  const problems = new Problems();
  const files = await (options.documents === undefined
    ? readDocuments(folders, problems, options.unsaved, options.hidden)
    : readNamed(folders, options.documents.files, problems, options.unsaved));
  if (options.documents === undefined && files.length === 0 && problems.errors.length === 0)
    problems.error(
      new PlumblineError("documents-missing", "There is no document in the folders of documents:.", {
        where: { file: folders.configurationFile },
        next: "Correct documents: and exclude:. An empty desired state would delete everything.",
      }),
    );
  const broken = new UnresolvableTargets();
  const kindOf: KindOf = (target) => options.kinds.get(configuration.targets.get(target)?.kind ?? "");
  const assemblies = await assemble(files, { configuration, fleet, kindOf, options, problems, broken });
  problems.throwIfAny();
  const references = new Map([...assemblies].map(([name, assembly]) => [name, referencesOf(assembly)]));
  for (const assembly of assemblies.values()) assembly.applyOwnership();
  const targets = [...configuration.targets.keys()];
  const values = options.resolveSecrets ? await readSecrets(assemblies, options.targets, secrets, problems) : new Map<string, string>();
  const later = new References({ trees: assemblies, targets, secrets: values, live: options.live, kindOf, problems, broken }).resolve();
  problems.throwIfAny();
  for (const assembly of assemblies.values()) await assembly.finish(configuration.owner);
  problems.throwIfAny();
  const results = new Map<string, DesiredTarget>();
  for (const name of targets) {
    const assembly = assemblies.get(name);
    if (assembly !== undefined) results.set(name, assembly.result());
  }
  return {
    configuration,
    targets: results,
    references,
    broken: broken.spread(references.keys(), (target) => references.get(target)?.targets ?? []),
    leftOut: broken.leftOut,
    later,
    filesByTarget: new Map([...results.keys()].map((name) => [name, assemblies.get(name)?.files ?? []])),
    warnings: sortByPlace(problems.warnings),
    expiredIgnores: findExpired(results.values(), options.today),
  };
}

function referencesOf({ draft, selectsFrom }: TargetAssembly): TargetReferences {
  const targets = new Set(selectsFrom);
  const secrets = new Map<string, SecretReference>();
  for (const { template } of draft.pending.values()) {
    for (const part of template) {
      if (typeof part === "string") continue;
      if (part.kind === "target") targets.add(part.target);
      else if (isSecretReference(part)) secrets.set(part.text, part);
    }
  }
  targets.delete(draft.target);
  return { targets, secrets: [...secrets.values()] };
}

interface Assembling {
  readonly configuration: Configuration;
  readonly fleet: Fleet;
  readonly kindOf: KindOf;
  readonly options: LoadOptions;
  readonly problems: Problems;
  readonly broken: UnresolvableTargets;
}

async function assemble(files: readonly SourceFile[], assembling: Assembling): Promise<ReadonlyMap<string, TargetAssembly>> {
  const { configuration, fleet, problems } = assembling;
  const { kinds, live, documents } = assembling.options;
  const only = documents?.of;
  const assemblies = new Map<string, TargetAssembly>();
  const { kindOf, broken } = assembling;
  const roots = (target: string) => assemblies.get(target)?.root;
  const selector = selectorOf({ roots, targets: configuration.targets, kindOf, live, problems, broken });
  let headers = 0;
  let read = 0;
  for (const file of files) {
    read += file.text.length;
    if (read > AT_ONCE) {
      read = 0;
      await othersTurn();
    }
    const doc = readYaml(file, problems);
    const header = doc === undefined ? undefined : readHeader(file, doc, fleet, kinds, problems);
    if (doc === undefined || header === undefined) continue;
    headers++;
    for (const target of header.targets) {
      if (only?.has(target) === false) continue;
      const assembly = assemblies.get(target) ?? assemblyOf(target, header.kind, assembling);
      assemblies.set(target, assembly);
      assembly.add(file, doc, header, selector);
    }
  }
  buildWaiting(assemblies, problems);
  for (const assembly of assemblies.values()) assembly.merge();
  // A document that failed to parse may contain an `owns:` that other documents rely on.
  if (headers === files.length) for (const assembly of assemblies.values()) assembly.checkObligations();
  return assemblies;
}

function assemblyOf(target: string, kind: DesiredKind, { fleet, options, problems, broken }: Assembling): TargetAssembly {
  return new TargetAssembly(target, kind, fleet, problems, (error) =>
    options.live === undefined ? problems.error(error) : broken.add(target, error),
  );
}

/** Lets the event loop run: an agent also does other work while it reads. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Builds the documents that wait for a `$forEach`. Targets from which others select come first. */
function buildWaiting(assemblies: ReadonlyMap<string, TargetAssembly>, problems: Problems): void {
  const waiting = new Map([...assemblies].filter(([, { waitsFor }]) => waitsFor.size > 0));
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, { waitsFor }]) => ![...waitsFor].some((name) => waiting.has(name)));
    if (ready.length === 0) {
      const names = [...waiting.keys()].join(", ");
      problems.error(
        new PlumblineError("reference-cycle", `$forEach leads in a circle between these targets: ${names}.`, {
          where: { file: [...waiting.values()][0]?.files[0] },
          next: "Select from a target that does not select from this one.",
        }),
      );
      return;
    }
    for (const [name, assembly] of ready) {
      assembly.buildWaiting();
      waiting.delete(name);
    }
  }
}

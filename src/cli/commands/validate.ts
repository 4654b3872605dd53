import { dirname } from "node:path";
import { dayOf } from "../../core/day.js";
import { formatWhere, PlumblineError, PlumblineErrors } from "../../core/errors.js";
import { isInsideFolder } from "../../core/inside-folder.js";
import { joinLines } from "../../core/printable.js";
import { find } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import { loadDesired } from "../../desired/load.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import { Problems, sortByPlace } from "../../desired/problems.js";
import { refuseRepositoryBelow } from "../../engine/checkout/bare-repository.js";
import { hiddenPathsBelow } from "../../engine/checkout/hidden-paths.js";
import { NAME_UNDECLARED, type UndeclaredName, undeclaredNames } from "../../engine/undeclared-names.js";
import { count } from "../../report/format-counts.js";
import { choosePaint } from "../../report/style.js";
import { kinds } from "../../targets/registry.js";
import type { Context } from "../context.js";
import { findConfiguration, type GlobalOptions, type PlainFormat } from "../options.js";
import { outdatedSchemas } from "../outdated-schemas.js";

type Flags = GlobalOptions & PlainFormat & { readonly names?: boolean; readonly strict?: boolean };

/** Checks every file of the desired state. Returns the exit code. */
export async function validate(flags: Flags, context: Context): Promise<number> {
  const file = findConfiguration(flags, context);
  const found = await loaded(flags, context, file);
  if (found instanceof PlumblineErrors) {
    await printAsJson({ valid: false, errors: found.errors, warnings: [], expiredIgnores: [] }, context);
    return 1;
  }
  const { errors, warnings, names } = flags.strict === true ? strictly(await judged(found)) : await judged(found);
  warnings.push(...outdatedSchemas(file));
  errors.push(...(await unreadableAuthorities(found)));
  if (errors.length > 0 && flags.format === "text") throw new PlumblineErrors(errors);
  const expired = found.expiredIgnores.map(({ target, ignore: { path, owner, reason, until, origin } }) => {
    return { target, path, owner, reason, until, at: found.targets.get(target)?.sources.locate(origin) };
  });
  const documents = new Set([...found.filesByTarget.values()].flat()).size;
  const targets = found.configuration.targets.size;
  const valid = expired.length === 0 && errors.length === 0;
  if (flags.format === "json") {
    await printAsJson({ valid, targets, documents, errors, warnings, names, expiredIgnores: expired }, context);
    return valid ? 0 : 1;
  }
  const paint = choosePaint(context.stdout, context.environment, flags.color);
  if (warnings.length > 0) {
    const { printFaults } = await import("../failure.js");
    await printFaults(warnings, context.stderr, paint, file, "warning");
  }
  for (const { target, path, owner, reason, until = "", at } of expired) {
    const where = at === undefined ? target : `${at.file}:${at.line}`;
    context.stdout.write(
      joinLines([
        `  ${paint("red", "expired")} ignore of ${path} (${owner}: ${reason}) ended ${until}`,
        `    at ${where}`,
        "    Give it a later date, or remove it.",
      ]),
    );
  }
  if (flags.names === true)
    for (const { target, kind, name, at } of names) context.stdout.write(joinLines([`  ${target}  ${kind} "${name}"  ${formatWhere(at)}`]));
  if (valid) context.stdout.write(`${paint("green", "valid")}  ${count(targets, "target")}, ${count(documents, "document")}\n`);
  return valid ? 0 : 1;
}

interface Validation {
  readonly valid: boolean;
  readonly targets?: number;
  readonly documents?: number;
  readonly errors: readonly PlumblineError[];
  readonly warnings: readonly PlumblineError[];
  /** Names that only the targets can resolve. */
  readonly names?: readonly UndeclaredName[];
  readonly expiredIgnores: readonly object[];
}

interface Judgement {
  readonly errors: PlumblineError[];
  readonly warnings: PlumblineError[];
  readonly names: readonly UndeclaredName[];
}

async function printAsJson({ errors, warnings, ...rest }: Validation, context: Context): Promise<void> {
  const [{ printJson }, { errorView }] = await Promise.all([import("../../core/json/print.js"), import("../../report/error-view.js")]);
  context.stdout.write(`${printJson({ ...rest, errors: errors.map(errorView), warnings: warnings.map(errorView) }, 2)}\n`);
}

/** Loads the desired state. Errors are returned for JSON output and thrown for text. */
async function loaded(flags: Flags, context: Context, file: string): Promise<LoadedDesired | PlumblineErrors> {
  try {
    await refuseRepositoryBelow(dirname(file));
    return await loadDesired(file, {
      environment: context.environment,
      kinds,
      today: dayOf(context.now()),
      resolveSecrets: false,
      hidden: await hiddenPathsBelow(dirname(file)),
    });
  } catch (error) {
    if (flags.format === "text") throw error;
    if (error instanceof PlumblineErrors) return error;
    if (error instanceof PlumblineError) return new PlumblineErrors([error]);
    throw error;
  }
}

/**
 * Returns the problems of a desired state that loads completely: values that a target would refuse and undeclared names. Sorted by place.
 */
export async function judged(found: LoadedDesired): Promise<Judgement> {
  const names = await undeclaredNames(found, kinds);
  const faults = faultsIn(found);
  return {
    errors: sortByPlace([...faults.errors, ...names.errors]),
    warnings: sortByPlace([
      ...found.warnings,
      ...faults.warnings,
      ...(await undeclaredIn(found)),
      ...(await doubtsIn(found)),
      ...names.warnings,
    ]),
    names: names.left,
  };
}

/** Turns names that no document declares into errors. An import declares every object of a device, so such a name is probably misspelt. */
function strictly({ errors, warnings, names }: Judgement): Judgement {
  const isName = ({ code }: PlumblineError): boolean => code === NAME_UNDECLARED;
  const left = names.map(({ kind, name, at }) => {
    const next = "Declare it, correct the name, or validate without --strict if only the device has it.";
    return new PlumblineError(NAME_UNDECLARED, `No document declares a ${kind} "${name}".`, { where: at, next });
  });
  return {
    errors: sortByPlace([...errors, ...warnings.filter(isName), ...left]),
    warnings: warnings.filter((each) => !isName(each)),
    names,
  };
}

/**
 * Returns an error for each certificate authority in the repository that cannot be read. Files elsewhere, such as in /etc, may exist only
 * on the machine that runs plans.
 */
async function unreadableAuthorities({ configuration }: LoadedDesired): Promise<PlumblineError[]> {
  const found: PlumblineError[] = [];
  for (const { name, tls } of configuration.targets.values()) {
    if (tls?.ca === undefined || !isInsideFolder(configuration.folder, tls.ca)) continue;
    const { readTrust } = await import("../../http/tls.js");
    await readTrust(tls, name).catch((error: unknown) => {
      if (!(error instanceof PlumblineError)) throw error;
      found.push(error);
    });
  }
  return found;
}

/** Returns values that a target would refuse. A document for many targets is reported once. */
function faultsIn({ targets }: LoadedDesired): Problems {
  const problems = new Problems();
  for (const { faults = [], sources } of targets.values())
    for (const { code, message, next, origin, soon } of faults) {
      const where = sources.locate(origin);
      if (soon) problems.warn(new PlumblineError(code, `${message} A later version will call that an error.`, { where, next }));
      else problems.error(new PlumblineError(code, message, { where, next: `${next} ${PASSES}` }));
    }
  return problems;
}

const PASSES = "If the device accepts it, write unknown: allow in the document.";

/** Returns warnings about values that are probably mistakes, without those that only the configuration of the device shows. */
async function doubtsIn({ targets, configuration }: LoadedDesired): Promise<readonly PlumblineError[]> {
  const { guardsOf } = await import("../../engine/connections.js");
  const problems = new Problems();
  for (const { target, root, sources } of targets.values()) {
    const kind = kinds.get(configuration.targets.get(target)?.kind ?? "");
    if (kind === undefined) continue;
    const { notes } = await guardsOf(kind);
    for (const { path, message } of notes?.(root, new TreeNode(kind.rootTag)) ?? []) {
      const origin = find(root, path)?.origin;
      const where = origin === undefined ? undefined : sources.locate(origin);
      problems.warn(new PlumblineError("doubtful-value", message, { where, next: "Correct it if it is a mistake." }));
    }
  }
  return problems.warnings;
}

/** Returns undeclared names in assertions. */
async function undeclaredIn({ targets, configuration }: LoadedDesired): Promise<PlumblineError[]> {
  const found: PlumblineError[] = [];
  for (const desired of targets.values()) {
    const target = configuration.targets.get(desired.target);
    const role = kinds.get(target?.kind ?? "")?.policies;
    if ((desired.assertions ?? desired.applications) === undefined || target === undefined || role === undefined) continue;
    const { undeclaredEnds, undeclaredNameWarnings, unrecordedApplications } = await import(
      "../../reachability/assertions/format-undeclared.js"
    );
    found.push(...(await undeclaredNameWarnings(desired, role, target)), ...undeclaredEnds(desired, targets));
    found.push(...(await unrecordedApplications(desired, role)));
  }
  return found;
}

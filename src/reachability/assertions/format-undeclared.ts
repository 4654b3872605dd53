import { addressNumber } from "../../core/address-range.js";
import { PlumblineError } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import { flowsTo, isOfFlows, isOfPath, targetAndName } from "../../desired/assertions.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import type { DesiredTarget } from "../../desired/model.js";
import { listed } from "../../outcome/shorten-list.js";
import type { PolicyRole } from "../policy-role.js";

/** Warns about names in assertions that no document of the target declares. They may exist on the target, so these are not errors. */
export async function undeclaredNameWarnings(
  desired: DesiredTarget,
  role: PolicyRole,
  configuration: TargetConfiguration,
): Promise<PlumblineError[]> {
  const { root, sources } = desired;
  const assertions = (desired.assertions ?? []).filter(isOfFlows);
  if (assertions.length === 0) return [];
  const { flows } = await role.loadWords();
  return assertions.flatMap(({ name, flows: lists, except, reaches, place, origin }) => {
    const scope = role.scopeAt(place);
    if (scope === undefined) return [];
    const found = new Map<string, PlumblineError>();
    for (const words of [lists, ...except, ...(reaches === undefined ? [] : [flowsTo(reaches)])]) {
      try {
        flows(root, scope, words, { configuration });
      } catch (error) {
        if (!(error instanceof PlumblineError)) throw error;
        const message = `Assertion "${name}": ${error.message.replace(/\.$/, "")}, as far as documents declare it.`;
        const next = "Correct it, unless it exists unmanaged on the device: `plumbline plan` checks the live configuration.";
        found.set(message, new PlumblineError(error.code, message, { where: { ...sources.locate(origin), target: desired.target }, next }));
      }
    }
    return [...found.values()];
  });
}

/**
 * Warns about applications whose ports or parts matter and that neither the documents nor `applications:` define. Without `applications:`
 * only the device knows them, so there is no warning.
 */
export async function unrecordedApplications(
  { root, target, applications, assertions = [], sources }: DesiredTarget,
  role: PolicyRole,
): Promise<PlumblineError[]> {
  const [first] = applications ?? [];
  if (applications === undefined || first === undefined) return [];
  const lists = [
    ...assertions.filter(isOfFlows).flatMap(({ flows, except }) => [flows, ...except].flatMap((words) => words.application)),
    ...assertions.filter(isOfPath).flatMap(({ path }) => path.application),
  ];
  const recorded = new Set(applications.flatMap(({ known }) => [...known.keys()]));
  const missing = ((await role.load()).predefinedNames?.([root], lists) ?? []).filter((name) => !recorded.has(name));
  if (missing.length === 0) return [];
  const message = `applications: does not contain ${listed(missing, NAMED)}. Their ports and parts are not known.`;
  const next = "Correct the name, or run plumbline import, which reads them from the device.";
  return [new PlumblineError("applications-invalid", message, { where: { ...sources.locate(first.origin), target }, next })];
}

/** Maximum number of names in a message. */
const NAMED = 6;

/** Warns about ends of paths that no document of their target declares. Only the target knows whether they exist. */
export function undeclaredEnds(desired: DesiredTarget, targets: ReadonlyMap<string, DesiredTarget>): PlumblineError[] {
  return (desired.assertions ?? []).filter(isOfPath).flatMap(({ name, path, origin }) => {
    const words = [...path.source, ...path.destination, ...path.reaches].filter((word) => addressNumber(word) === undefined);
    return [...new Set(words)].flatMap((word) => {
      const [target, end] = targetAndName(word) ?? [desired.target, word];
      const root = targets.get(target)?.root;
      if (root === undefined || bears(root, end)) return [];
      const message = `Assertion "${name}": no document of ${target} declares "${end}".`;
      const next = "Correct it, unless it exists unmanaged on the target: `plumbline plan` checks the live configuration.";
      return [
        new PlumblineError("flow-not-understood", message, {
          where: { ...desired.sources.locate(origin), target: desired.target },
          next,
        }),
      ];
    });
  });
}

function bears({ name, children }: TreeNode, word: string): boolean {
  return name === word || name?.endsWith(`:${word}`) === true || children.some((child) => bears(child, word));
}

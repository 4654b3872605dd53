import { PlumblineError } from "../../core/errors.js";
import { flowsTo, isOfFlows } from "../../desired/assertions.js";
import type { TargetConfiguration } from "../../desired/configuration.js";
import type { DesiredTarget } from "../../desired/model.js";
import type { PolicyRole } from "../policies.js";

/**
 * Words of assertions that no document of the target declares: mistakes, unless others have put them there. Only the target can tell, so
 * that these are warnings.
 */
export async function undeclaredWords(
  desired: DesiredTarget,
  role: PolicyRole,
  configuration: TargetConfiguration,
): Promise<PlumblineError[]> {
  const { root, sources } = desired;
  const assertions = (desired.assertions ?? []).filter(isOfFlows);
  if (assertions.length === 0) return [];
  const { flows } = await role.loadWords();
  return assertions.flatMap(({ name, flows: asked, except, reaches, place, origin }) => {
    const scope = role.scopeAt(place);
    if (scope === undefined) return [];
    const found = new Map<string, PlumblineError>();
    for (const words of [asked, ...except, ...(reaches === undefined ? [] : [flowsTo(reaches)])]) {
      try {
        flows(root, scope, words, { configuration });
      } catch (error) {
        if (!(error instanceof PlumblineError)) throw error;
        const message = `Assertion "${name}": ${error.message.replace(/\.$/, "")}, as far as documents declare it.`;
        const next = "Correct it, unless it is on the device by other hands: `plumbline plan` judges by what is there.";
        found.set(message, new PlumblineError(error.code, message, { where: { ...sources.locate(origin), target: desired.target }, next }));
      }
    }
    return [...found.values()];
  });
}

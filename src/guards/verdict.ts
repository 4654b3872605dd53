import type { ArtifactVerdict } from "../outcome/artifact-verdict.js";
import type { Refusal } from "../plan/model.js";
import type { RunFacts } from "./context.js";

/** Refuses a plan for bad files always. For unknown files, refuses if the plan writes and the document does not set `warn`. */
export function refuseVerdicts({ verdicts, writes }: Pick<RunFacts, "verdicts" | "writes">): Refusal[] {
  return verdicts
    .filter((verdict) => isRefused(verdict, writes))
    .map((verdict) => {
      const setting = verdict.standing === "unavailable" ? "onUnavailable" : "onUnknown";
      const hint = verdict.standing === "bad" ? nextStep(verdict) : `; ${setting}: warn in the document allows it`;
      return { guard: "verdict", message: `${formatVerdict(verdict)}${hint}`, path: undefined, allow: undefined };
    });
}

/** The service may have corrected a verdict; `--fresh` bypasses the cache. */
function nextStep({ hash }: ArtifactVerdict): string {
  return hash === undefined ? "" : `; \`plumbline verdict --fresh ${hash}\` requests it again`;
}

function isRefused({ standing, leniency }: ArtifactVerdict, writes: boolean): boolean {
  return standing === "bad" || (standing !== "good" && writes && leniency === "refuse");
}

/** `image ubuntu-24.04 (md5…) is malicious`. */
export function formatVerdict({ hash, image, word, why }: ArtifactVerdict): string {
  const name = image === undefined ? `the file ${hash}` : `image ${image}${hash === undefined ? "" : ` (${hash})`}`;
  return why === undefined ? `${name} is ${word}` : `${name} has no verdict: ${why}`;
}

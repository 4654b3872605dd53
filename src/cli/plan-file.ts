import { PlumblineError } from "../core/errors.js";
import { readJson } from "../core/json/read-json.js";
import { readRegularFile } from "../core/regular-file.js";
import type { Path } from "../core/tree/path.js";
import type { WriteOptions } from "../engine/pass/options.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { operationView } from "../report/json.js";

/** Maximum size of a plan file, in bytes. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Returns the text of `plan.json`, which a user reviews and to which `apply` is bound. It contains digests and operations, and no secrets.
 * `apply` plans again and refuses a plan with another digest.
 * @param path The subtree that the plan is limited to (`--path`)
 */
export function writePlanFile(outcomes: readonly TargetOutcome[], path: Path | undefined): string {
  const targets = outcomes.flatMap(({ target, plan }) =>
    plan === undefined
      ? []
      : [
          {
            target,
            digest: plan.digest,
            effect: plan.effect,
            operations: plan.operations.map(({ operation }) => operationView(operation)),
          },
        ],
  );
  return `${JSON.stringify({ format: 1, path: path?.toString(), targets }, null, 2)}\n`;
}

/** A plan file: digests and effects by target name, and the subtree that the plan is limited to. */
interface PlanFile extends Required<Pick<WriteOptions, "digests" | "effects">> {
  readonly path: string | undefined;
}

/** Reads a plan file. @throws PlumblineError `plan-file-invalid` */
export async function readPlanFile(file: string): Promise<PlanFile> {
  const invalid = (why: string, cause?: unknown) =>
    new PlumblineError("plan-file-invalid", `This is not a plan: ${why}.`, {
      where: { file },
      next: "Write one with `plumbline plan --out FILE`.",
      cause,
    });
  let text: string;
  try {
    text = (await readRegularFile(file, MOST_BYTES)).toString("utf8");
  } catch (error) {
    throw invalid("it cannot be read", error);
  }
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    throw invalid("it is not JSON", error);
  }
  const { format, path, targets } = (value ?? {}) as { format?: unknown; path?: unknown; targets?: unknown };
  if (format !== 1 || !Array.isArray(targets) || targets.length === 0) throw invalid("it names no targets in format 1");
  if (path !== undefined && typeof path !== "string") throw invalid("its path is not a text");
  const digests = new Map<string, string>();
  const effects = new Map<string, string>();
  for (const row of targets as ({ target?: unknown; digest?: unknown; effect?: unknown } | null)[]) {
    if (typeof row?.target !== "string" || typeof row.digest !== "string") throw invalid("a target has no digest");
    digests.set(row.target, row.digest);
    if (typeof row.effect === "string") effects.set(row.target, row.effect);
  }
  return { digests, effects, path };
}

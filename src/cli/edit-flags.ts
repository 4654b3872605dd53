import { loadConfiguration } from "../desired/load.js";
import type { AccessTools } from "../engine/access/edit-plan.js";
import { editDocuments } from "../pull-request/access/edit-documents.js";
import type { HostFlags } from "../pull-request/settings.js";
import { kinds } from "../targets/registry.js";
import type { ReachFormat } from "./choices.js";
import type { Context } from "./context.js";
import { findConfiguration, type GlobalOptions } from "./options.js";

/** Flags of the commands that edit documents: `allow`, `revoke` and `lint --fix`. */
export interface EditFlags extends GlobalOptions, HostFlags {
  readonly scope?: string;
  readonly format: ReachFormat;
  readonly acceptExcess: boolean;
  readonly write: boolean;
  readonly propose: boolean;
  readonly push: boolean;
  readonly base?: string;
  readonly ledger?: string;
}

export const ACCESS_TOOLS: AccessTools = { designer: (kind) => kinds.get(kind)?.designer?.(), edit: editDocuments };

/** Line below an edit that was only printed. */
export const NOT_WRITTEN = "  Not written. Add --write to write it, or --propose to open a pull request.";

/** Returns why the chosen design is not used. `number`: from 1. */
export function designHints(
  designs: readonly { readonly excess: readonly unknown[] }[],
  number: number,
  { acceptExcess }: Pick<EditFlags, "acceptExcess">,
): string[] {
  const design = designs[number - 1];
  if (design === undefined) return [`  There is no design ${number}.`];
  return design.excess.length > 0 && !acceptExcess ? ["  Every flow outside the request must be accepted with --accept-excess."] : [];
}

/** Returns the only target with rules. Undefined: the path of each flow decides. */
export async function onlyTarget(flags: EditFlags, context: Context): Promise<string | undefined> {
  const { environment } = context;
  const { targets } = await loadConfiguration(findConfiguration(flags, context), { environment, kinds, resolveSecrets: false });
  const [name, ...others] = [...targets].filter(([, { kind }]) => kinds.get(kind)?.policies !== undefined).map(([each]) => each);
  return others.length === 0 ? name : undefined;
}

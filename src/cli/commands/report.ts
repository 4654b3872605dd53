import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readAssets } from "../../agent/page/assets.js";
import { staticPage } from "../../agent/page/static-page.js";
import { type DriftAndPlan, staticView } from "../../agent/page/static-view.js";
import { auditPairs, auditTargets, canAudit } from "../../audit/audit.js";
import { redactUrls } from "../../core/redact-urls.js";
import { NO_COMMANDS } from "../../desired/commands.js";
import type { Configuration } from "../../desired/configuration/configuration.js";
import { loadConfiguration } from "../../desired/load.js";
import { readCheckout } from "../../engine/checkout/checkout.js";
import { startPass } from "../../engine/pass/run-targets.js";
import { driftContexts, planContexts } from "../../engine/reconcile.js";
import { exitCode, type TargetOutcome } from "../../outcome/outcome.js";
import { renderJson } from "../../report/json.js";
import { kinds } from "../../targets/registry.js";
import { allowedCommands } from "../allowed-commands.js";
import type { Context } from "../context.js";
import { networksReadersFor, readersFor } from "../open-targets.js";
import { findConfiguration, type PlainFormat } from "../options.js";
import { show } from "../show.js";
import { openSession, type PassFlags, passOptions, type Terminal, withAnalysis } from "../terminal.js";

interface Flags extends PassFlags, PlainFormat {
  readonly html: string;
}

/** Writes the page and its data to a folder. Returns the exit code. */
export async function report(flags: Flags, context: Context): Promise<number> {
  const session = openSession(flags, context);
  const assets = readAssets();
  const file = findConfiguration(flags, context);
  const resolving = {
    environment: context.environment,
    kinds,
    resolveSecrets: true,
    mayRun: allowedCommands(flags, context) ?? NO_COMMANDS,
  };
  const configuration = await loadConfiguration(file, { ...resolving, resolveSecrets: false });
  const outcome = await look(configuration, flags, context, session);
  const audit = hasPair(configuration, flags)
    ? await auditTargets(auditPairs(await loadConfiguration(file, resolving), kinds, []), networksReadersFor(session.logger))
    : undefined;
  session.progress.end();
  const checkout = await readCheckout(dirname(file));
  const view = staticView({ passes: outcome, audit, commit: checkout.commit, source: checkout.root ?? "", now: context.now().getTime() });
  const outcomes = [...outcome.map(together), ...(audit ?? [])];
  const folder = resolve(context.folder, flags.html);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "index.html"), staticPage(assets, view));
  await writeFile(join(folder, "report.json"), redactUrls(renderJson("drift", outcomes)));
  const page = join(folder, "index.html");
  const value = () => ({ page, report: join(folder, "report.json"), exitCode: exitCode(outcomes) });
  show(flags, context, value, () => `${page}\n`);
  return exitCode(outcomes);
}

/** Returns the drift with its authors, together with the plan. */
async function look(configuration: Configuration, flags: Flags, context: Context, session: Terminal): Promise<DriftAndPlan[]> {
  const readers = readersFor(session.logger);
  const contexts = await startPass(withAnalysis(passOptions(flags, context, session)), readers);
  const drifts = await driftContexts(contexts, readers);
  const plans = new Map((await planContexts(contexts, readers)).map((outcome) => [outcome.target, outcome]));
  return drifts.map((drift) => ({ drift, plan: plans.get(drift.target), mode: configuration.targets.get(drift.target)?.mode ?? "" }));
}

function together({ drift, plan }: DriftAndPlan): TargetOutcome {
  return { ...drift, plan: plan?.plan, error: drift.error ?? plan?.error };
}

/** Returns true only if all targets are included: a partial audit would look complete. */
function hasPair({ targets }: Configuration, { target = [] }: Flags): boolean {
  const present = new Set([...targets.values()].map(({ kind }) => kind));
  return target.length === 0 && canAudit(present, kinds);
}

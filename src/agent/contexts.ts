import { createHmac } from "node:crypto";
import { dayOf } from "../core/day.js";
import { PlumblineError } from "../core/errors.js";
import { writeXml } from "../core/tree/xml/write.js";
import type { ConfigurationFile } from "../desired/configuration/read.js";
import { loadDesired } from "../desired/load.js";
import type { LoadOptions } from "../desired/loaded.js";
import { SecretReader } from "../desired/secrets.js";
import type { AcceptedHistory } from "../engine/accepted-history.js";
import type { Approvals } from "../engine/approvals.js";
import { stateKey } from "../engine/ledger/fingerprints.js";
import type { Ledger } from "../engine/ledger/ledger.js";
import type { LedgerStore } from "../engine/ledger/store.js";
import type { Notices } from "../engine/notices.js";
import type { TargetContext } from "../engine/pass/context.js";
import type { AgentPassOptions, PassOptions, Readers } from "../engine/pass/options.js";
import type { OthersSource } from "../engine/pass/other-targets.js";
import { contextsOf } from "../engine/pass/run-targets.js";
import { type CommitIndex, closureOf } from "./commit-index.js";
import type { Source } from "./source.js";

export interface ContextsOptions {
  readonly source: Source;
  readonly readers: Readers;
  /** Common options. Targets and configuration file are set for each context. */
  readonly pass: AgentPassOptions;
  readonly ledger: Ledger;
  readonly leases: () => LedgerStore;
  readonly notices: Notices & Approvals;
  /** HMAC key for digests that other agents compare. The default is the agent's own key. */
  readonly key?: Buffer | undefined;
}

/** Loads the documents of one target, and the documents that it refers to, from the active commit. */
export class Contexts {
  readonly #options: ContextsOptions;
  #ownKey: Buffer | undefined;
  #history: { readonly commit: string | undefined; readonly history: AcceptedHistory } | undefined;

  constructor(options: ContextsOptions) {
    this.#options = options;
  }

  /** @throws PlumblineError, PlumblineErrors if secrets or references of the target cannot be resolved. */
  async of(target: string): Promise<TargetContext> {
    const { source, pass } = this.#options;
    const context = await source.whileInForce(async (index) => {
      if (!index.targets.has(target)) throw undeclaredTarget(target, index);
      const options: PassOptions = {
        ...pass,
        source: { ...pass.source, configurationFile: source.file },
        selection: { targets: [target], only: undefined },
        analysis: { ...pass.analysis, insight: true },
      };
      const load = (live: LoadOptions["live"], referred: readonly string[]) =>
        loadDesired(source.file, loadOptions(options, index, target, live, referred));
      const { readers } = this.#options;
      const isForgotten = (name: string): boolean => name === target;
      const { contexts } = await contextsOf({ options, readers, checkout: source.checkout, load, isForgotten }, new Set());
      return contexts[0];
    });
    if (context === undefined) throw new Error(`no context for ${target}`);
    return this.#withAgentOptions(context);
  }

  /**
   * Returns a digest of the values that the target uses and that are not in git: secrets, and live values of other targets. Secrets enter
   * it as HMACs with the agent's own key.
   */
  async inputs(target: string): Promise<string> {
    const { source, pass } = this.#options;
    this.#ownKey ??= this.#options.key ?? (await stateKey(pass.stores.stateFolder));
    const digest = createHmac("sha256", this.#ownKey);
    const names = await source.whileInForce(async (index) => {
      const names = [...closureOf([target], index.targets)].sort();
      const reader = new SecretReader(pass.source.environment, source.checkout.folder, pass.source.mayRun);
      for (const name of names) {
        for (const reference of index.targets.get(name)?.references.secrets ?? []) {
          digest.update(`${JSON.stringify([reference.text, await reader.read(reference, { target: name })])}\n`);
        }
      }
      return names;
    });
    if (names.length > 1) digest.update(writeXml((await this.of(target)).desired.root, { secrets: "label" }));
    return digest.digest("hex");
  }

  #withAgentOptions(context: TargetContext): TargetContext {
    const { ledger, leases, notices, source, pass } = this.#options;
    const {
      checkout,
      dependencies: { others },
    } = context;
    if (this.#history === undefined || this.#history.commit !== checkout.commit)
      this.#history = { commit: checkout.commit, history: context.records.history.requiring((commit) => source.accepts(commit)) };
    const load: OthersSource["load"] | undefined =
      others && ((...request) => source.whileInForce(async () => await others.load(...request)));
    return {
      ...context,
      reload: async (settled) => this.#withAgentOptions(await context.reload(settled)),
      dependencies: { ...context.dependencies, others: others && load && { ...others, load } },
      records: {
        ...context.records,
        history: this.#history.history,
        ledger,
        leases: leases(),
        notices,
        approvals: notices,
        pauses: () => notices.pauses(pass.machine.now()),
      },
    };
  }
}

function loadOptions(
  options: PassOptions,
  index: CommitIndex,
  target: string,
  live: LoadOptions["live"],
  referred: readonly string[],
): LoadOptions {
  const of = closureOf([target, ...referred], index.targets);
  const files = [...new Set([...of].flatMap((name) => index.targets.get(name)?.files ?? []))].sort();
  const parsed: ConfigurationFile = index.parsed;
  return {
    environment: options.source.environment,
    kinds: options.source.kinds,
    today: dayOf(options.machine.now()),
    resolveSecrets: true,
    mayRun: options.source.mayRun,
    targets: [target, ...referred],
    parsed,
    documents: { files, of },
    live,
  };
}

function undeclaredTarget(target: string, index: CommitIndex): PlumblineError {
  return new PlumblineError("target-unknown", `There is no target ${target}`, {
    where: { target },
    next: `The active commit, ${index.commit.slice(0, 12)}, has no documents for it.`,
  });
}

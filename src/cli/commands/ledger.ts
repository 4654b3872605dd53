import { dirname } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import type { Configuration } from "../../desired/configuration/configuration.js";
import { loadConfiguration } from "../../desired/load.js";
import { readCheckout } from "../../engine/checkout/checkout.js";
import type { Ledger } from "../../engine/ledger/ledger.js";
import { ledgerPlace, openLedger } from "../../engine/ledger/open-ledger.js";
import type { LedgerStore } from "../../engine/ledger/store.js";
import { forgetLedger, type LedgerAddress, moveLedger, readRecord } from "../../engine/ledger/transfer.js";
import { count } from "../../report/format-counts.js";
import { kinds } from "../../targets/registry.js";
import type { Context } from "../context.js";
import { findConfiguration, type GlobalOptions, type PlainFormat, stateFolder } from "../options.js";
import { show } from "../show.js";
import { storeLedgers } from "../store-ledgers.js";

interface Flags extends GlobalOptions, PlainFormat {
  readonly ledger?: string;
  readonly owner?: string;
}

interface Place {
  readonly ledger: Ledger;
  readonly store: LedgerStore;
}

interface Work extends Place {
  readonly flags: Flags;
  readonly context: Context;
  readonly configuration: Configuration;
  /** Opens another ledger place: `git`, `store`, a file or a URL. */
  readonly open: (place: string) => Promise<Place>;
}

/** One ledger of the list. */
interface Row {
  readonly target: string;
  readonly paths: number;
  readonly commit: string | undefined;
  readonly devices: readonly string[] | undefined;
  readonly isConfigured: boolean;
}

interface Moved {
  readonly target: string;
  readonly paths: number;
}

type Action = (work: Work, names: readonly string[]) => Promise<void>;

const ACTIONS: Readonly<Record<string, { readonly names: string; readonly run: Action }>> = {
  list: { names: "", run: list },
  rename: { names: "OLD NEW", run: rename },
  "hand-over": { names: "FROM-OWNER", run: handOver },
  move: { names: "FROM-PLACE", run: move },
  forget: { names: "TARGET", run: forget },
};

/** Lists, moves and empties ledgers. Targets are not read and not changed. Returns the exit code. */
export async function ledger(flags: Flags, context: Context, action: string, names: readonly string[]): Promise<number> {
  const known = ACTIONS[action];
  const usage = Object.entries(ACTIONS).map(([name, each]) => `plumbline ledger ${name} ${each.names}`.trimEnd());
  const wanted = known?.names.split(" ").filter((name) => name !== "").length;
  if (known === undefined || wanted !== names.length) {
    throw new PlumblineError("option-invalid", `"ledger ${[action, ...names].join(" ")}" is not a command.`, {
      next: `Use one of: ${usage.join(", ")}.`,
    });
  }
  const file = findConfiguration(flags, context);
  const configuration = await loadConfiguration(file, { environment: context.environment, kinds, resolveSecrets: false });
  const [checkout, stores] = [await readCheckout(dirname(file)), storeLedgers(flags, context)];
  const open = async (location: string | undefined): Promise<Place> => {
    const place = await ledgerPlace(location, configuration.store, stores);
    const { ledger: opened, leases } = await openLedger(place, checkout, stateFolder(flags, context), stores);
    return { ledger: opened, store: leases };
  };
  await known.run({ flags, context, configuration, open, ...(await open(flags.ledger ?? configuration.ledger)) }, names);
  return 0;
}

async function list({ flags, context, configuration, ledger: opened, store }: Work): Promise<void> {
  const owner = flags.owner ?? configuration.owner;
  const rows: Row[] = [];
  for (const target of await store.targets(owner)) {
    const record = await readRecord({ ledger: opened, owner, target });
    if (record === undefined || record.paths.length === 0) continue;
    const isConfigured = owner === configuration.owner && configuration.targets.has(target);
    rows.push({ target, paths: record.paths.length, commit: record.commit, devices: record.devices, isConfigured });
  }
  show(
    flags,
    context,
    () => ({ owner, ledgers: rows }),
    () => {
      if (rows.length === 0) return `${owner} has no ledgers with objects.\n`;
      return rows
        .map(({ target, paths, commit, devices, isConfigured }) => {
          const facts = [count(paths, "path"), ...(commit === undefined ? [] : [`commit ${commit.slice(0, 12)}`]), ...(devices ?? [])];
          return `${target}  ${facts.join(" · ")}${isConfigured ? "" : `  not in the configuration of ${configuration.owner}`}\n`;
        })
        .join("");
    },
  );
}

async function rename(work: Work, [from = "", to = ""]: readonly string[]): Promise<void> {
  const { configuration, ledger: opened } = work;
  const { owner } = configuration;
  refuseConfigured(configuration, from, "Rename it in the configuration first.");
  requireConfigured(configuration, to);
  const paths = await moveLedger({ ledger: opened, owner, target: from }, { ledger: opened, owner, target: to });
  printMoved(work, [{ target: to, paths }], ({ paths: moved }) => `The ledger of ${from} (${count(moved, "path")}) belongs to ${to} now.`);
}

async function handOver(work: Work, [from = ""]: readonly string[]): Promise<void> {
  const { configuration, ledger: opened, store } = work;
  const { owner } = configuration;
  if (from === owner) {
    throw new PlumblineError("option-invalid", `${owner} is already the owner.`, { next: "Name the former owner." });
  }
  const targets = (await store.targets(from)).filter((target) => configuration.targets.has(target));
  const moved = await moveAll(
    targets,
    (target) => ({ ledger: opened, owner: from, target }),
    (target) => ({ ledger: opened, owner, target }),
  );
  printMoved(work, moved, ({ target, paths }) => `${target}: ${owner} manages ${count(paths, "path")} of ${from} now.`);
}

async function move(work: Work, [said = ""]: readonly string[]): Promise<void> {
  const { configuration, ledger: opened, open } = work;
  const { owner } = configuration;
  const former = await open(said);
  const moved = await moveAll(
    await former.store.targets(owner),
    (target) => ({ ledger: former.ledger, owner, target }),
    (target) => ({ ledger: opened, owner, target }),
  );
  printMoved(work, moved, ({ target, paths }) => `${target}: ${count(paths, "path")} moved from ${said}.`);
}

async function forget(work: Work, [target = ""]: readonly string[]): Promise<void> {
  const { configuration, ledger: opened } = work;
  refuseConfigured(configuration, target, "Remove it from the configuration first.");
  const paths = await forgetLedger({ ledger: opened, owner: configuration.owner, target });
  printMoved(work, [{ target, paths }], (row) => `${target}: ${count(row.paths, "path")} no longer managed. They stay on the target.`);
}

async function moveAll(
  targets: readonly string[],
  from: (target: string) => LedgerAddress,
  to: (target: string) => LedgerAddress,
): Promise<Moved[]> {
  const moved: Moved[] = [];
  for (const target of targets) {
    const record = await readRecord(from(target));
    if (record !== undefined && record.paths.length > 0) moved.push({ target, paths: await moveLedger(from(target), to(target)) });
  }
  return moved;
}

function printMoved({ flags, context }: Work, moved: readonly Moved[], line: (row: Moved) => string): void {
  show(
    flags,
    context,
    () => ({ moved }),
    () => (moved.length === 0 ? "There is no ledger with objects to move.\n" : moved.map((row) => `${line(row)}\n`).join("")),
  );
}

function refuseConfigured({ targets }: Configuration, target: string, next: string): void {
  if (!targets.has(target)) return;
  throw new PlumblineError("option-invalid", `The target ${target} is in the configuration.`, { where: { target }, next });
}

function requireConfigured({ targets }: Configuration, target: string): void {
  if (targets.has(target)) return;
  const next = `Name one of: ${[...targets.keys()].join(", ")}.`;
  throw new PlumblineError("target-unknown", `There is no target "${target}"`, { where: { target }, next });
}

import { userInfo } from "node:os";
import { dirname } from "node:path";
import { openStore } from "../../agent/store/open.js";
import type { Store } from "../../agent/store/store.js";
import { PlumblineError, PlumblineErrors } from "../../core/errors.js";
import { parseDuration } from "../../desired/configuration/duration.js";
import { loadConfiguration } from "../../desired/load.js";
import { suggest } from "../../desired/suggest.js";
import type { ActiveRuns } from "../../engine/active-runs.js";
import { type Checkout, newestCommitTime, readCheckout } from "../../engine/checkout/checkout.js";
import { openLedgerStore } from "../../engine/ledger/open-ledger.js";
import { NoticeBoard, pausedOnlyHere, pauseOf } from "../../engine/notices.js";
import { approvalText, resumeText } from "../../engine/signed-notice.js";
import { signText } from "../../engine/ssh-signature.js";
import { kinds } from "../../targets/registry.js";
import type { Context } from "../context.js";
import { findConfiguration, type GlobalOptions, type PlainFormat, stateFolder } from "../options.js";
import { currentRepository } from "../repository-name.js";
import { show } from "../show.js";
import { findStore } from "../store.js";
import { waitForActiveRuns } from "../wait-for-runs.js";

/** Longer than most runs take from their first write to the end of their commit. */
const WAIT = "2m";
const LONGEST = 3650 * 24 * 3_600_000;
/** Difference between clocks that is not reported, in milliseconds. */
const CLOCK_TOLERANCE = 60_000;

interface Flags extends GlobalOptions, PlainFormat {
  readonly reason: string;
  readonly for?: string;
  readonly wait?: string;
  readonly all?: boolean;
  readonly by?: string;
  readonly from?: string;
  readonly ledger?: string;
  readonly signKey?: string;
}

/**
 * Prevents every runner from starting to write, and waits for runs that have started. Prints "paused" only when no run writes any longer.
 * Returns the exit code.
 */
export async function pause(flags: Flags, context: Context, names: readonly string[]): Promise<number> {
  const targets = targetsOf(names);
  const length = flags.for === undefined ? undefined : lengthOf("--for", flags.for);
  const wait = lengthOf("--wait", flags.wait ?? WAIT);
  if (flags.reason.trim() === "") {
    throw new PlumblineError("option-invalid", "--reason is empty.", { next: "Give a reason: other users see it." });
  }
  const until = await withPlaces(flags, context, async ({ board, store, check, checkout, now }) => {
    const until = length === undefined ? undefined : now + length;
    if (until !== undefined) refuseClockBehind(now, await newestCommitTime(checkout));
    // All names are checked before the first pause.
    for (const target of targets.map(check)) {
      const paused = { target, reason: flags.reason, by: flags.by ?? loginName(), since: now, until };
      await store.pauses.pause(paused);
      await board.pause(paused).catch((cause: unknown) => {
        throw pausedOnlyHere(target, cause);
      });
    }
    return until;
  });
  const end = until === undefined ? "until it is resumed" : `until ${new Date(until).toISOString()}`;
  const unsure = (await waitWhileInForce(flags, context, targets, wait)).flat();
  const [first] = unsure;
  const [target] = targets;
  const value = () => ({ target, targets: names, until: until === undefined ? undefined : new Date(until).toISOString(), unsure });
  show(flags, context, value, () => {
    const [all, any] =
      target === undefined ? ["Every target is", "any target"] : [`${targets.join(", ")} ${verb(targets)}`, targets.join(", ")];
    if (first === undefined) return `${all} paused ${end}.\n`;
    const rows = unsure.map(({ target: name, unknown }) => `  ${name}: ${unknown}\n`).join("");
    return `New runs do not write to ${any} ${end}. Plumbline could not check whether a run is still writing:\n${rows}`;
  });
  return 0;
}

/** Returns each name once, or undefined for every target. */
function targetsOf(names: readonly string[]): readonly (string | undefined)[] {
  return names.length === 0 ? [undefined] : [...new Set(names)];
}

function verb({ length }: readonly unknown[]): string {
  return length === 1 ? "is" : "are";
}

/**
 * Other runners end a pause by their own clocks. If the clock here is behind, they may read an end in the past.
 * @throws PlumblineError `clock-behind` (refused)
 */
function refuseClockBehind(now: number, newest: number | undefined): void {
  if (newest === undefined || newest - now <= CLOCK_TOLERANCE) return;
  const [here, there] = [now, newest].map((time) => new Date(time).toISOString());
  throw new PlumblineError("clock-behind", `The clock of this machine shows ${here}, but the repository has a commit of ${there}.`, {
    next: "Nothing is paused. Correct the clock, or omit --for and resume the target later.",
    severity: "refused",
  });
}

/** @throws PlumblineError `pause-ended` (refused), `still-writing` */
async function waitWhileInForce(
  flags: Flags,
  context: Context,
  targets: readonly (string | undefined)[],
  wait: number,
): Promise<readonly (readonly ActiveRuns[])[]> {
  try {
    return await Promise.all(targets.map((target) => waitForActiveRuns(flags, context, target, wait)));
  } finally {
    for (const target of targets) await requireInForce(flags, context, target);
  }
}

/**
 * Another administrator may have ended the pause during the wait, or the pause was shorter than the wait.
 * @throws PlumblineError `pause-ended` (refused)
 */
async function requireInForce(flags: Flags, context: Context, target: string | undefined): Promise<void> {
  const pauses = await withPlaces(flags, context, ({ board, now }) => board.pauses(now));
  if (pauseOf(pauses, target ?? "") !== undefined) return;
  throw new PlumblineError(
    "pause-ended",
    `The pause of ${target ?? "every target"} ended before the running runs did. It is not in effect.`,
    {
      where: { target },
      next: "Run `plumbline history` to see whether someone resumed it, or use a longer --for. Then pause again.",
      severity: "refused",
    },
  );
}

/** Ends pauses. Returns the exit code. */
export async function resume(flags: Flags, context: Context, names: readonly string[]): Promise<number> {
  const results = await withPlaces(flags, context, async (places) => {
    const ended: Resumed[] = [];
    // All names are checked before the first pause ends.
    for (const target of targetsOf(names).map(places.check)) ended.push(await resumeOne(target, flags, places));
    return ended;
  });
  const viewOf = ({ target, wasPaused, still, isForOthers }: Resumed) => ({
    target,
    wasPaused,
    agentsMayKeepIt: wasPaused && !isForOthers,
    stillPaused: still === undefined ? undefined : { by: still.by, reason: still.reason },
  });
  const views = results.map(viewOf);
  const value = () => ({ ...views[0], ...(views.length > 1 ? { targets: views } : {}) });
  show(flags, context, value, () => {
    const lines = views.map(({ target, wasPaused }) => `${target ?? "Every target"} ${wasPaused ? "is resumed" : "was not paused"}.\n`);
    const still = results.find((each) => each.still !== undefined)?.still;
    const rest =
      still === undefined
        ? ""
        : `A pause of all targets by ${still.by} remains: ${still.reason}. To end it, run \`plumbline resume --all\`.\n`;
    return `${lines.join("")}${views.some(({ agentsMayKeepIt }) => agentsMayKeepIt) ? AGENTS_KEEP_IT : ""}${rest}`;
  });
  return 0;
}

interface Resumed {
  readonly target: string | undefined;
  readonly wasPaused: boolean;
  readonly still: ReturnType<typeof pauseOf>;
  readonly isForOthers: boolean;
}

async function resumeOne(target: string | undefined, flags: Flags, { board, store, owner, now }: Places): Promise<Resumed> {
  const wanted = { target, by: loginName(), at: now };
  const signed = flags.signKey === undefined ? undefined : { ...wanted, signature: await sign(flags.signKey, resumeText(owner, wanted)) };
  // The board comes first: if it cannot be changed, nothing is.
  const onBoard = await board.resume(target, signed);
  const stored = await store.pauses.resume(target, loginName(), now);
  const left = [...(await board.pauses(now)), ...(await store.pauses.active(now))];
  return { target, wasPaused: onBoard || stored, still: pauseOf(left, target ?? ""), isForOthers: stored || signed !== undefined };
}

const AGENTS_KEEP_IT =
  "Agents on other machines keep a pause that they have seen. Resume it on their page, on their machine, or here with --sign-key.\n";

/** Approves the plan with a digest. Returns the exit code. */
export async function approve(flags: Flags, context: Context, target: string, start: string): Promise<number> {
  const digest = await withPlaces(flags, context, async ({ board, store, owner, check, now }) => {
    check(target);
    const digest = await completeDigest(store, target, start);
    const given = { target, digest, by: flags.by ?? loginName(), at: now, source: flags.from };
    const signature = flags.signKey === undefined ? undefined : await sign(flags.signKey, approvalText(owner, given));
    await store.approvals.approve(given);
    if (signature !== undefined) await board.approve({ ...given, signature });
    return digest;
  });
  const hint = flags.signKey === undefined ? "Agents on other machines need an approval on their page or a signed one (--sign-key).\n" : "";
  show(
    flags,
    context,
    () => ({ target, digest, signed: flags.signKey !== undefined }),
    () => `Plan ${digest.slice(0, 12)} of ${target} is approved.\n${hint}`,
  );
  return 0;
}

async function sign(key: string, text: string): Promise<string> {
  return await signText(key, text).catch((cause: unknown) => {
    throw new PlumblineError("option-invalid", `ssh-keygen cannot sign with ${key}: ${cause instanceof Error ? cause.message : ""}`, {
      next: "Name your private SSH key, or its public key if an SSH agent holds the private one.",
      cause,
    });
  });
}

/** Returns the complete digest for its start, which reports show. */
async function completeDigest(store: Store, target: string, start: string): Promise<string> {
  if (/^[0-9a-f]{64}$/.test(start)) return start;
  const [found, ...others] = /^[0-9a-f]{12,63}$/.test(start) ? await store.plans.beginning(target, start) : [];
  if (found !== undefined && others.length === 0) return found;
  throw new PlumblineError("option-invalid", `No stored plan of ${target} has the digest "${start}".`, {
    next: "Copy the digest from the agent's message, or all 64 characters of it from `plumbline plan --format json`.",
  });
}

interface Places {
  readonly board: NoticeBoard;
  readonly owner: string;
  readonly store: Store;
  readonly checkout: Checkout;
  /** Time of the database if several agents share the store, otherwise of this machine. Milliseconds since 1970. */
  readonly now: number;
  /** Returns the name of the target, or undefined for all. @throws PlumblineError `target-unknown` */
  check(target: string | undefined): string | undefined;
}

/** Opens the store of this machine and the notice board that other runners read. */
async function withPlaces<T>(flags: Flags, context: Context, work: (places: Places) => Promise<T>): Promise<T> {
  const file = findConfiguration(flags, context);
  const configuration = await loadConfiguration(file, { environment: context.environment, kinds, resolveSecrets: false }).catch(
    (error: unknown) => {
      throw error instanceof PlumblineErrors ? new PlumblineErrors([...error.errors, notAnnounced(stateFolder(flags, context))]) : error;
    },
  );
  const checkout = await readCheckout(dirname(file));
  const place = openLedgerStore(flags.ledger ?? configuration.ledger, checkout, stateFolder(flags, context));
  const store = await openStore(await findStore(flags, context), { readOnly: false, repository: await currentRepository(flags, context) });
  const check: Places["check"] = (target) => {
    if (target !== undefined && flags.all === true) {
      throw new PlumblineError("option-invalid", `The command has both ${target} and --all.`, { next: "Use one of them." });
    }
    if (target === undefined && flags.all === true) return undefined;
    if (target !== undefined && configuration.targets.has(target)) return target;
    throw new PlumblineError("target-unknown", target === undefined ? "The command needs a target." : `There is no target "${target}".`, {
      where: { file },
      next: `${suggest(target ?? "", [...configuration.targets.keys()])} For all targets, use --all.`,
    });
  };
  try {
    const now = (await store.ledgers.clock?.()) ?? context.now().getTime();
    return await work({ board: new NoticeBoard(place, configuration.owner), owner: configuration.owner, store, checkout, now, check });
  } finally {
    await store.close();
  }
}

/** The file that does not load also names the place where other runners look for pauses. */
function notAnnounced(state: string): PlumblineError {
  return new PlumblineError(
    "configuration-invalid",
    "Nothing is paused. Other runs read pauses from a place that plumbline.yaml names, and plumbline.yaml does not load.",
    {
      next: `Fix the file, or use the last commit that loads. In an emergency, create the file ${state}/pause/TARGET or ${state}/pause/all on the agent's machine.`,
    },
  );
}

function lengthOf(flag: string, text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds <= LONGEST) return milliseconds;
  if (milliseconds !== undefined) {
    throw new PlumblineError("option-invalid", `${flag} ${text} is longer than ten years.`, {
      next: "Omit --for. The pause then lasts until you resume it.",
    });
  }
  throw new PlumblineError("option-invalid", `${flag} ${text} is not a duration.`, {
    next: "Write a number and s, m, h or d, for example 2h.",
  });
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

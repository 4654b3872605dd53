import type { Violation } from "./checker.js";
import type { CloudEvent, Standing } from "./cloud.js";
import { listOf } from "./cloud-documents.js";
import type { Entries } from "./script.js";
import type { World } from "./world.js";

/** Knowledge of the checker about an object: its creator, and whether the creator got the reply. */
interface Made {
  readonly isOurs: boolean;
  /** Plumbline created it, whoever owns it now. */
  readonly isMadeByUs: boolean;
  /** It came late, or its sender never got the reply: it may be made a second time, and one of the two goes then. */
  readonly mayBeTwin: boolean;
  /**
   * Its creator was killed before another process knew its id, or could not reach the ledger. If a list omits it, it may be created again,
   * and then one of the two is deleted. Servers are exempt, because they have ports.
   */
  readonly isUnrecorded: boolean;
  /** It has its final mark. Before, another user can overwrite the initial one. */
  readonly isMarked: boolean;
}

const THEIRS: Made = { isOurs: false, isMadeByUs: false, mayBeTwin: false, isUnrecorded: false, isMarked: false };

/** Milliseconds in which a run finishes the writes that it started and stores their ids in the ledger. */
const RECORDING = 5_000;

/** Checks the cloud's own journal from its first to its last entry. `reason`: why it does not match in the end. */
export function judgeCloud(world: World, reason: string | undefined): Violation[] {
  const found: Violation[] = [];
  const made = new Map<string, Made>();
  const apart = new Apart();
  const first = world.cloud?.events[0]?.before ?? new Map<string, Standing>();
  for (const id of first.keys()) made.set(id, THEIRS);
  for (const event of world.cloud?.events ?? []) {
    if (event.isOurs) {
      found.push(...judgeMade(event, made), ...judgeGone(event, made), ...judgePause(event, world));
      if (!event.isLate) found.push(...apart.judge(event), ...judgeStall(event, world));
    }
    for (const id of theirsBy(event, made)) made.set(id, { ...THEIRS, isMadeByUs: true });
    for (const [id, known] of oursBy(event, made)) made.set(id, { ...known, isOurs: true, mayBeTwin: false, isMarked: true });
    const { isOurs } = event;
    const isUnrecorded =
      (world.killed.get(event.source) ?? Number.POSITIVE_INFINITY) < event.at + RECORDING ||
      world.stalls.some((stall) => stall.source === event.source && stall.from < event.at + RECORDING && event.at < stall.until) ||
      world.gitAway.some(({ from, until }) => from < event.at + RECORDING && event.at < until);
    for (const id of event.made)
      made.set(id, {
        isOurs,
        isMadeByUs: isOurs,
        mayBeTwin: event.isLate || !event.isKnown,
        isUnrecorded: isUnrecorded && !event.isLate,
        isMarked: false,
      });
  }
  return [...found, ...judgeWords(world), ...judgeEnd(world, made, reason)];
}

/**
 * An object without its final mark loses the initial one if another user overwrites it. It can then not be distinguished from an object of
 * the other user.
 */
function theirsBy({ isOurs, changed }: CloudEvent, made: ReadonlyMap<string, Made>): string[] {
  return isOurs ? [] : changed.filter((id) => made.get(id)?.isMadeByUs === true && made.get(id)?.isMarked === false);
}

/** A created object is marked after it was found by its initial mark. It is then owned, whatever others change. */
function oursBy({ isOurs, request }: CloudEvent, made: ReadonlyMap<string, Made>): [string, Made][] {
  if (!isOurs || !request.startsWith("PUT ")) return [];
  return [...made].filter(([id, { isMadeByUs }]) => isMadeByUs && request.includes(id));
}

/**
 * An existing object that was known to exist is not created again. If the creator was killed or suspended before it stored the id, the next run
 * knows only the name, which a list can omit.
 */
function judgeMade(event: CloudEvent, made: ReadonlyMap<string, Made>): Violation[] {
  if (event.isLate) return [];
  return event.made.flatMap((id): Violation[] => {
    const { list, name } = event.after.get(id) ?? { list: "", name: "" };
    const same = [...event.before].filter(([other, each]) => each.list === list && each.name === name && made.get(other)?.isOurs === true);
    const mayBeUnknown = (known: Made | undefined) => known?.mayBeTwin === true || (known?.isUnrecorded === true && list !== "servers");
    if (same.length === 0 || same.some(([other]) => mayBeUnknown(made.get(other)))) return [];
    return [{ rule: "twice", message: `${event.source} made ${name} of ${list} although ours stood` }];
  });
}

function judgeGone(event: CloudEvent, made: ReadonlyMap<string, Made>): Violation[] {
  return event.gone.flatMap((id): Violation[] => {
    const name = event.before.get(id)?.name ?? id;
    return made.get(id)?.isOurs === true
      ? []
      : [{ rule: "foreign change lost", message: `${event.source} deleted ${name}, which is not ours` }];
  });
}

function judgePause({ at, source, request, isLate }: CloudEvent, { pauses }: World): Violation[] {
  if (isLate || !pauses.some(({ from, until }) => at > from && at < until)) return [];
  return [{ rule: "paused", message: `${source} sent ${request} although the target was said to be paused` }];
}

/** A run that was suspended while another run wrote does not continue to write: it has lost its lease. */
function judgeStall({ at, source }: CloudEvent, { stalls, cloud }: World): Violation[] {
  return stalls.flatMap((stall): Violation[] => {
    if (stall.source !== source || at <= stall.until) return [];
    const writes = cloud?.events.filter(({ isOurs, isLate }) => isOurs && !isLate) ?? [];
    const other = writes.find((each) => each.source !== source && each.at > stall.from && each.at < at);
    if (other === undefined) return [];
    return [{ rule: "no lock", message: `${source} stood still, ${other.source} wrote, and then ${source} wrote again` }];
  });
}

/** Milliseconds between two requests of one piece of work. */
const PIECE = 20_000;

/** Two runs of Plumbline never write concurrently: their writes are not interleaved. */
class Apart {
  #last: { readonly source: string; readonly at: number } | undefined;
  #before: { readonly source: string; readonly at: number } | undefined;

  judge({ source, at }: CloudEvent): Violation[] {
    const [last, before] = [this.#last, this.#before];
    if (last?.source !== source) this.#before = last;
    this.#last = { source, at };
    if (last === undefined || last.source === source || before?.source !== source || at - before.at > PIECE) return [];
    return [{ rule: "no lock", message: `${source} and ${last.source} wrote at the same time` }];
  }
}

/** Each report of success was right: each object exists once, as declared. */
function judgeWords(world: World): Violation[] {
  const byHand = world.ended.filter(({ what, code }) => what === "reconcile" && code === 0);
  const byAgent = world.said.flatMap(({ what, result, began = 0, at, commit }) =>
    what === "pass-ended" && result === "in-sync" ? [{ process: "agent", began, ended: at, commit }] : [],
  );
  return [...byHand, ...byAgent].flatMap(({ process, began, ended, commit }): Violation[] => {
    const wanted = world.wanted.get(commit ?? "");
    const events = world.cloud?.events ?? [];
    // Another user who wrote in the meantime may have changed objects that were already read.
    if (wanted === undefined || events.some((event) => event.at >= began && event.at <= ended && !event.source.startsWith(process)))
      return [];
    const wrong = wrongAt(wanted, events.findLast((event) => event.at <= ended)?.after ?? new Map());
    return wrong.length === 0 ? [] : [{ rule: "untrue", message: `${process} said that all is well, and ${wrong.join(", ")} was not` }];
  });
}

/** Names of objects that are missing or differ. */
function wrongAt(wanted: Entries, standing: ReadonlyMap<string, Standing>): string[] {
  const all = [...standing.values()];
  return Object.entries(wanted).flatMap(([name, value]) => {
    const list = listOf(name);
    const isRight = all.some((each) => each.list === list && each.name === name && (list === "servers" || each.value === value));
    return isRight ? [] : [name];
  });
}

/**
 * In the end each object exists once as declared, and no undeclared managed object remains; or the last report explains why. An undeclared
 * object that lost its mark is never deleted, and is never in sync.
 */
function judgeEnd(world: World, made: ReadonlyMap<string, Made>, reason: string | undefined): Violation[] {
  const wanted = world.wanted.get(world.head) ?? {};
  const standing = world.cloud?.standing() ?? new Map<string, Standing>();
  const ours = [...standing].filter(([id]) => made.get(id)?.isOurs === true).map(([, each]) => each);
  const left = ours.filter(
    ({ name, list }, index) => wanted[name] === undefined || ours.findIndex((each) => each.name === name && each.list === list) < index,
  );
  const unmarked = [...standing].filter(
    ([id, { name }]) => made.get(id)?.isMadeByUs === true && made.get(id)?.isOurs === false && wanted[name] === undefined,
  );
  const unreported = reason === undefined ? unmarked.map(([, { name }]) => `${name}, which lost its mark, is left`) : [];
  const problems = [
    ...wrongAt(wanted, standing).map((name) => `${name} is not as wanted`),
    ...left.map(({ name }) => `${name} is left`),
    ...unreported,
  ];
  if (problems.length === 0 || (reason !== undefined && EXPLAINS.some((word) => reason.includes(word)))) return [];
  return [{ rule: "not converging", message: `${problems.join(", ")}; the last word was: ${reason ?? "all is well"}` }];
}

/**
 * Guards that block a plan until a person has reviewed it, also if all owned objects of a list are missing, because a missing permission
 * looks the same.
 */
const EXPLAINS = ["not-as-left", "has no ownership mark", "empty-live"];

import type { Violation } from "./checker.js";
import type { CloudEvent, Standing } from "./cloud.js";
import { listOf } from "./cloud-documents.js";
import type { Entries } from "./script.js";
import type { World } from "./world.js";

/** What the checker knows of an object: who made it, and whether whoever did ever heard of it. */
interface Made {
  readonly isOurs: boolean;
  /** We made it, whoever it counts for by now. */
  readonly isMadeByUs: boolean;
  /** It came late, or its sender never got the reply: it may be made a second time, and one of the two goes then. */
  readonly mayBeTwin: boolean;
  /**
   * Its maker was killed before anybody but the service knew its id, or could not reach the ledger: where a list leaves it out, it may be made
   * a second time, and one of the two goes then. Not so a server, which has ports.
   */
  readonly isUnrecorded: boolean;
}

const THEIRS: Made = { isOurs: false, isMadeByUs: false, mayBeTwin: false, isUnrecorded: false };

/** Milliseconds in which a run writes what it has begun, and then the ids of it into the ledger. */
const RECORDING = 5_000;

/** What the cloud's own journal says, from its first entry to its last; `reason`: why it is not as wanted in the end. */
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
    for (const [id, known] of oursBy(event, made)) made.set(id, { ...known, isOurs: true, mayBeTwin: false });
    const { isOurs } = event;
    const isUnrecorded =
      (world.killed.get(event.source) ?? Number.POSITIVE_INFINITY) < event.at + RECORDING ||
      world.gitAway.some(({ from, until }) => from < event.at + RECORDING && event.at < until);
    for (const id of event.made)
      made.set(id, { isOurs, isMadeByUs: isOurs, mayBeTwin: event.isLate || !event.isKnown, isUnrecorded: isUnrecorded && !event.isLate });
  }
  return [...found, ...judgeWords(world), ...judgeEnd(world, made, reason)];
}

/** What somebody else writes over that we made and never heard of bears no mark of ours any more: nobody can tell that it is ours. */
function theirsBy({ isOurs, changed }: CloudEvent, made: ReadonlyMap<string, Made>): string[] {
  return isOurs ? [] : changed.filter((id) => made.get(id)?.mayBeTwin === true);
}

/** What we made bears our mark once we wrote it there, found by the mark of its birth: whatever others change of it then, it is ours. */
function oursBy({ isOurs, request }: CloudEvent, made: ReadonlyMap<string, Made>): [string, Made][] {
  if (!isOurs || !request.startsWith("PUT ")) return [];
  return [...made].filter(([id, { isMadeByUs }]) => isMadeByUs && request.includes(id));
}

/** Nothing that stands, and was known to stand, is made again. */
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

/** A run that stood still while another run wrote does not go on to write: it has lost its lease. */
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

/** Two of ours never write at the same time: what one does is not in between what another does. */
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

/** Whoever said that all is well was right: each is there once, as it was wanted. */
function judgeWords(world: World): Violation[] {
  const byHand = world.ended.filter(({ what, code }) => what === "reconcile" && code === 0);
  const byAgent = world.said.flatMap(({ what, result, began = 0, at, commit }) =>
    what === "pass-ended" && result === "in-sync" ? [{ process: "agent", began, ended: at, commit }] : [],
  );
  return [...byHand, ...byAgent].flatMap(({ process, began, ended, commit }): Violation[] => {
    const wanted = world.wanted.get(commit ?? "");
    const events = world.cloud?.events ?? [];
    // Who else wrote meanwhile may have changed what was looked at.
    if (wanted === undefined || events.some((event) => event.at >= began && event.at <= ended && !event.source.startsWith(process)))
      return [];
    const wrong = wrongAt(wanted, events.findLast((event) => event.at <= ended)?.after ?? new Map());
    return wrong.length === 0 ? [] : [{ rule: "untrue", message: `${process} said that all is well, and ${wrong.join(", ")} was not` }];
  });
}

/** Names of what is not there, or not as it is wanted. */
function wrongAt(wanted: Entries, standing: ReadonlyMap<string, Standing>): string[] {
  const all = [...standing.values()];
  return Object.entries(wanted).flatMap(([name, value]) => {
    const list = listOf(name);
    const isRight = all.some((each) => each.list === list && each.name === name && (list === "servers" || each.value === value));
    return isRight ? [] : [name];
  });
}

/** In the end each is there once as wanted, and nothing of ours is left; or the last word says why. */
function judgeEnd(world: World, made: ReadonlyMap<string, Made>, reason: string | undefined): Violation[] {
  const wanted = world.wanted.get(world.head) ?? {};
  const standing = world.cloud?.standing() ?? new Map<string, Standing>();
  const ours = [...standing].filter(([id]) => made.get(id)?.isOurs === true).map(([, each]) => each);
  const left = ours.filter(
    ({ name, list }, index) => wanted[name] === undefined || ours.findIndex((each) => each.name === name && each.list === list) < index,
  );
  const problems = [...wrongAt(wanted, standing).map((name) => `${name} is not as wanted`), ...left.map(({ name }) => `${name} is left`)];
  if (problems.length === 0 || (reason !== undefined && EXPLAINS.some((word) => reason.includes(word)))) return [];
  return [{ rule: "not converging", message: `${problems.join(", ")}; the last word was: ${reason ?? "all is well"}` }];
}

/** What holds a plan back until a person has looked: also where all that is ours in a list is gone, which a right that is missing looks like. */
const EXPLAINS = ["not-as-left", "has no ownership mark", "empty-live"];

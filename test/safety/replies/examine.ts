import { PlumblineError, PlumblineErrors } from "../../../src/core/errors.js";
import { mutate, seeded } from "./mutate.js";
import type { Subject } from "./subjects.js";
import { type Reply, Tape } from "./tape.js";

/** A reader that sends more requests follows an endless chain. */
export const MOST_REQUESTS = 2_000;
const TIMES_THE_MEDIAN = 20;

interface Case {
  readonly seed: number;
  readonly asked: string;
  readonly what: string;
  readonly reply: Reply;
  readonly isCut: boolean;
}

type Outcome = { readonly believed: string } | { readonly refused: string } | { readonly crash: unknown };

interface Timed {
  readonly each: Case;
  /** Milliseconds of processor time. */
  readonly took: number;
}

export interface Examined {
  readonly wrong: readonly string[];
  readonly believed: number;
  readonly refused: number;
  /** Replies of which bytes of the end were missing. */
  readonly cut: number;
  /** The reply that took longest, in medians, each that was slow at its best of three. */
  readonly slowest: { readonly seed: number; readonly medians: number };
}

/** Gives a reader a reply with one fault for each seed from `first`, made from a reply of the real service. */
export async function examine(subject: Subject, first: number, rounds: number): Promise<Examined> {
  const tape = new Tape();
  const whole = await subject(tape.recording);
  const [asked, reply] = tape.all[0] as readonly [string, Reply];
  if ((await subject(tape.replaying(asked, reply, MOST_REQUESTS))) !== whole) throw new Error("what was taped says something else");
  const wrong: string[] = [];
  const times: Timed[] = [];
  let refused = 0;
  let cut = 0;
  for (let seed = first; seed < first + rounds; seed++) {
    const each = caseOf(tape, seed);
    const { took, ...outcome } = await outcomeOf(subject, tape, each);
    if ("crash" in outcome) wrong.push(`crash: ${wordsOf(each)}: ${stackOf(outcome.crash)}`);
    if (each.isCut && "believed" in outcome && outcome.believed !== whole) wrong.push(`believed what is cut: ${wordsOf(each)}`);
    if (!("believed" in outcome)) refused += 1;
    if (each.isCut) cut += 1;
    times.push({ took, each });
  }
  const { slow, slowest } = await slowOf(subject, tape, times);
  return { wrong: [...wrong, ...slow], refused, believed: rounds - refused, cut, slowest };
}

/** The case of one seed, independent of earlier ones. */
function caseOf(tape: Tape, seed: number): Case {
  const random = seeded(seed);
  const [asked, reply] = tape.all[Math.floor(random() * tape.all.length)] as readonly [string, Reply];
  const others = tape.all.map(([, other]) => other);
  return { seed, asked, ...mutate(reply, others, random) };
}

async function outcomeOf(subject: Subject, tape: Tape, { asked, reply }: Case): Promise<Outcome & { readonly took: number }> {
  const began = process.cpuUsage();
  const outcome: Outcome = await subject(tape.replaying(asked, reply, MOST_REQUESTS)).then(
    (believed) => ({ believed }),
    (error: unknown) => (isOurs(error) ? { refused: error.message } : { crash: error }),
  );
  const { user, system } = process.cpuUsage(began);
  return { ...outcome, took: (user + system) / 1_000 };
}

async function slowOf(
  subject: Subject,
  tape: Tape,
  times: readonly Timed[],
): Promise<{ readonly slow: readonly string[]; readonly slowest: Examined["slowest"] }> {
  const median = times.map(({ took }) => took).sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  const slow: string[] = [];
  let slowest = { seed: 0, medians: 0 };
  for (const { took, each } of times) {
    const best = took > TIMES_THE_MEDIAN * median ? await bestOfThree(subject, tape, each) : took;
    if (best > TIMES_THE_MEDIAN * median) slow.push(`slow: ${wordsOf(each)}: ${best.toFixed(1)} ms, median ${median.toFixed(2)}`);
    if (best / median > slowest.medians) slowest = { seed: each.seed, medians: best / median };
  }
  return { slow, slowest };
}

/** A collection of garbage may have been in between the first time. */
async function bestOfThree(subject: Subject, tape: Tape, each: Case): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3; run++) best = Math.min(best, (await outcomeOf(subject, tape, each)).took);
  return best;
}

function wordsOf({ seed, asked, what }: Case): string {
  return `seed ${seed}: ${asked.slice(0, 300)}: ${what}`;
}

function stackOf(crash: unknown): string {
  return (crash instanceof Error ? (crash.stack ?? crash.message) : String(crash)).split("\n").slice(0, 6).join(" < ");
}

function isOurs(error: unknown): error is Error {
  return error instanceof PlumblineError || error instanceof PlumblineErrors;
}

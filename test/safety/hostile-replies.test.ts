import { describe, expect, it } from "vitest";
import { PlumblineError, PlumblineErrors } from "../../src/core/errors.js";
import { startLab } from "../targets/contrail/fixtures.js";
import { mutate, seeded } from "./replies/mutate.js";
import * as subjects from "./replies/subjects.js";
import { type Reply, Tape } from "./replies/tape.js";

// Whatever answers in the place of a device: our readers end with a tree or with an error of their own, soon, and believe nothing that
// broke off. Replies are real ones of the lab with something wrong in one of them.

const IS_SOAK = process.env.PLUMBLINE_SOAK !== undefined;
const ROUNDS = IS_SOAK ? 100_000 : 1_500;
/** A soak draws new cases; the seed of each is told with what fails. */
const SEED = Number(process.env.PLUMBLINE_REPLIES_SEED ?? (IS_SOAK ? Date.now() % 1_000_000_000 : 20_261_122));
const MOST_REQUESTS = 2_000;
const TIMES_THE_MEDIAN = 20;

interface Case {
  readonly seed: number;
  readonly asked: string;
  readonly what: string;
  readonly reply: Reply;
  readonly isCut: boolean;
}

type Outcome = { readonly believed: string } | { readonly refused: string } | { readonly crash: unknown };

describe.each(Object.entries(subjects))("the reader of %s", (_, open) => {
  it(
    `meets ${ROUNDS} replies with something wrong`,
    async () => {
      const { wrong, believed, refused } = await examine(await open(), ROUNDS);
      expect(wrong).toEqual([]);
      // Of either there are many, or the changes are not what they should be.
      expect(Math.min(believed, refused)).toBeGreaterThan(ROUNDS / 50);
    },
    ROUNDS * 100,
  );
});

it("finds readers that crash, believe what is cut, take long and never end", async () => {
  const lab = await startLab();
  const found = async (understand: (text: string, ask: () => Promise<string>) => Promise<string> | string): Promise<string> => {
    const naive: subjects.Subject = async (dispatcher) => {
      const pool = dispatcher(lab.url, {});
      const ask = async (): Promise<string> => {
        const { body } = await pool.request({ origin: lab.url, path: "/projects?detail=true", method: "GET" });
        const chunks: Buffer[] = [];
        for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
      };
      const said = await understand(await ask(), ask);
      await pool.destroy();
      return said;
    };
    return (await examine(naive, 40)).wrong.join("\n");
  };
  expect(await found((text) => JSON.stringify(JSON.parse(text)))).toContain("crash: seed");
  expect(await found((text) => text)).toContain("believed what is cut: seed");
  expect(await found(slowOverWhatIsCut)).toContain("slow: seed");
  const follow = async (text: string, ask: () => Promise<string>): Promise<string> => {
    while (!text.includes("projects")) await ask();
    return "";
  };
  expect(await found(follow)).toContain(`more than ${MOST_REQUESTS} requests`);
});

function slowOverWhatIsCut(text: string): string {
  const until = process.cpuUsage().user + (text.trimEnd().endsWith("}") ? 0 : 50_000);
  while (process.cpuUsage().user < until);
  return "";
}

interface Examined {
  readonly wrong: readonly string[];
  readonly believed: number;
  readonly refused: number;
}

/** Lets a reader meet `rounds` replies of the lab with something wrong in one of them. */
async function examine(subject: subjects.Subject, rounds: number): Promise<Examined> {
  const tape = new Tape();
  const whole = await subject(tape.recording);
  const [asked, reply] = tape.all[0] as readonly [string, Reply];
  expect(await subject(tape.replaying(asked, reply, MOST_REQUESTS))).toBe(whole);
  const wrong: string[] = [];
  const times: (readonly [took: number, each: Case])[] = [];
  let refused = 0;
  for (let seed = SEED; seed < SEED + rounds; seed++) {
    const each = caseOf(tape, seed);
    const { took, ...outcome } = await outcomeOf(subject, tape, each);
    if ("crash" in outcome) wrong.push(`crash: ${wordsOf(each)}: ${stackOf(outcome.crash)}`);
    if (each.isCut && "believed" in outcome && outcome.believed !== whole) wrong.push(`believed what is cut: ${wordsOf(each)}`);
    if (!("believed" in outcome)) refused += 1;
    times.push([took, each]);
  }
  return { wrong: [...wrong, ...(await slowOf(subject, tape, times))], refused, believed: rounds - refused };
}

/** The case of one seed, whatever came before it. */
function caseOf(tape: Tape, seed: number): Case {
  const random = seeded(seed);
  const [asked, reply] = tape.all[Math.floor(random() * tape.all.length)] as readonly [string, Reply];
  const others = tape.all.map(([, other]) => other);
  return { seed, asked, ...mutate(reply, others, random) };
}

async function outcomeOf(subject: subjects.Subject, tape: Tape, { asked, reply }: Case): Promise<Outcome & { readonly took: number }> {
  const began = process.cpuUsage();
  const outcome: Outcome = await subject(tape.replaying(asked, reply, MOST_REQUESTS)).then(
    (believed) => ({ believed }),
    (error: unknown) => (isOurs(error) ? { refused: error.message } : { crash: error }),
  );
  const { user, system } = process.cpuUsage(began);
  return { ...outcome, took: (user + system) / 1_000 };
}

async function slowOf(subject: subjects.Subject, tape: Tape, times: readonly (readonly [number, Case])[]): Promise<string[]> {
  const median = times.map(([took]) => took).sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  const slow: string[] = [];
  for (const [took, each] of times) {
    if (took <= TIMES_THE_MEDIAN * median) continue;
    // A collection of garbage may have been in between: the best of three counts.
    const again = [];
    for (let run = 0; run < 3; run++) again.push((await outcomeOf(subject, tape, each)).took);
    const best = Math.min(...again);
    if (best > TIMES_THE_MEDIAN * median) slow.push(`slow: ${wordsOf(each)}: ${best.toFixed(1)} ms, median ${median.toFixed(2)}`);
  }
  return slow;
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

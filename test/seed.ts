/** Everything with other draws and many times more of each: `npm run test:soak`. */
export const soak = process.env.PLUMBLINE_SOAK !== undefined;

// Vitest's configuration reads this first: workers inherit the seed, and a failure can be repeated.
if (soak && process.env.PLUMBLINE_SEED === undefined) process.env.PLUMBLINE_SEED = String(Date.now() % 1_000_000);

/** Added to the seeds of this run; 0 if every run uses the same cases. */
export const SOAK_SEED = soak ? Number(process.env.PLUMBLINE_SEED) : 0;

/** The seed of a draw: `own` in every run but a soak. */
export const seedOf = (own: number): number => own + SOAK_SEED;

/** One seed after another, from 0 in every run except a soak. */
export const seedsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => seedOf(at));

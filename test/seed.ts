/** Everything with other draws and many times more of each: `npm run test:soak`. */
export const soak = process.env.PLUMBLINE_SOAK !== undefined;

// The first to read this is Vitest's configuration: workers inherit what it says, and what fails can be drawn again.
if (soak && process.env.PLUMBLINE_SEED === undefined) process.env.PLUMBLINE_SEED = String(Date.now() % 1_000_000);

/** What draws of this run add to their own seeds; 0 where the same cases are tried in every run. */
export const SOAK_SEED = soak ? Number(process.env.PLUMBLINE_SEED) : 0;

/** The seed of a draw: `own` in every run but a soak. */
export const seedOf = (own: number): number => own + SOAK_SEED;

/** One seed after the other, from 0 in every run but a soak. */
export const seedsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => seedOf(at));

import fc from "fast-check";

/** The same cases in every run, so that a red test is this commit's doing; `npm run test:soak` draws new ones. */
if (process.env.PLUMBLINE_SOAK === undefined) fc.configureGlobal({ seed: 20_261_121 });

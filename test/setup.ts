import fc from "fast-check";
import { afterEach } from "vitest";
import { closeAll } from "./after-test.js";

/** The same cases in every run, so that a red test is this commit's doing; `npm run test:soak` draws new ones. */
if (process.env.PLUMBLINE_SOAK === undefined) fc.configureGlobal({ seed: 20_261_121 });

afterEach(closeAll);

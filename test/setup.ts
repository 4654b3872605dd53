import { setFlagsFromString } from "node:v8";
import fc from "fast-check";
import { afterEach } from "vitest";
import { closeAll } from "./after-test.js";
import { seedOf } from "./seed.js";

/** The same cases in every run, so that a red test is this commit's doing; `npm run test:soak` draws new ones. */
fc.configureGlobal({ seed: seedOf(20_261_121) });

// If a git hook runs the tests, git sets variables with the place of its own repository. The git commands of tests would use it.
for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"]) delete process.env[name];

// Repositories of tests begin without git's examples of hooks.
process.env.GIT_TEMPLATE_DIR = "";

// Collects the garbage of earlier files, because a process with little memory forks much faster.
setFlagsFromString("--heap-growing-percent=50");

afterEach(closeAll);

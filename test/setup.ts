import { setFlagsFromString } from "node:v8";
import fc from "fast-check";
import { afterEach } from "vitest";
import { closeAll } from "./after-test.js";
import { seedOf } from "./seed.js";

/** The same cases in every run, so that a red test is this commit's doing; `npm run test:soak` draws new ones. */
fc.configureGlobal({ seed: seedOf(20_261_121) });

// Run by a hook or a rebase, git says where its own repository is: what tests do would be done there.
for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"]) delete process.env[name];

// Repositories of tests begin without git's examples of hooks.
process.env.GIT_TEMPLATE_DIR = "";

// What is left of former files is collected early: a process of little memory starts programs in a fraction of the time.
setFlagsFromString("--heap-growing-percent=50");

afterEach(closeAll);

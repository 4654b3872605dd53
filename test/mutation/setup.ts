import fc from "fast-check";

// A counterexample is enough; to make it small takes longer than all other tests.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

// The thread stays, and with it the choice of the mutant before: a file is loaded without any, as in a new thread.
const stryker = (globalThis as { __stryker__?: { activeMutant?: string | undefined } }).__stryker__;
if (stryker !== undefined) stryker.activeMutant = undefined;

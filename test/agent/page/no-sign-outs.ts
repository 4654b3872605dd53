import type { SignOuts } from "../../../src/agent/store/store.js";

/** A store without data. */
export const NO_SIGN_OUTS: SignOuts = { add: async () => undefined, has: async () => false, all: async () => [] };

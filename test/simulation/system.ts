/**
 * What the product takes from the language rather than from an import. Loaded before anything else of the simulation but the
 * scheduler, which keeps the real turn of the event loop.
 */
import "./scheduler.js";
import { running } from "./running.js";

const system = globalThis as unknown as {
  setImmediate: (work: () => void) => void;
  setTimeout: (work: () => void, milliseconds?: number) => void;
};

// As in models/timers.ts: within a process nothing else can happen meanwhile.
system.setImmediate = (work) => queueMicrotask(work);
system.setTimeout = (work, milliseconds = 0) => void running().scheduler.wait(milliseconds).then(work);

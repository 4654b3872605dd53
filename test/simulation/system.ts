/**
 * What the product takes from the language rather than from an import. Loaded before anything else of the simulation but the
 * scheduler, which keeps the real turn of the event loop.
 */
import "./scheduler.js";
import { running } from "./running.js";

interface Timer {
  isCleared: boolean;
  unref(): void;
}

const system = globalThis as unknown as {
  setImmediate: (work: () => void) => void;
  setTimeout: (work: () => void, milliseconds?: number) => Timer;
  clearTimeout: (timer: Timer | undefined) => void;
};

// As in models/timers.ts: within a process nothing else can happen meanwhile.
system.setImmediate = (work) => queueMicrotask(work);
system.setTimeout = (work, milliseconds = 0) => {
  const timer: Timer = { isCleared: false, unref: () => undefined };
  void running()
    .scheduler.wait(milliseconds)
    .then(() => {
      if (!timer.isCleared) work();
    });
  return timer;
};
system.clearTimeout = (timer) => {
  if (timer !== undefined) timer.isCleared = true;
};

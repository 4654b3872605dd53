/** Globals that the product uses without an import. Loaded before everything except the scheduler, which keeps the real event loop. */
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

// As in models/timers.ts: within a process nothing else happens in the meantime.
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

/** Returns the CPU time of `work` in milliseconds, and its result. Needs `node --expose-gc`. */
export function timed(work) {
  globalThis.gc();
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return { milliseconds: (user + system) / 1000, result };
}

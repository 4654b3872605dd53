/** CPU milliseconds of `work`, and what it gave. Needs `node --expose-gc`. */
export function timed(work) {
  globalThis.gc();
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return { milliseconds: (user + system) / 1000, result };
}

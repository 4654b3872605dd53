// A process that writes passes until it is killed. It prints each pass only after the store has confirmed it.
import { openStore } from "../../../dist/agent/store/open.js";

const [file] = process.argv.slice(2);
const store = await openStore({ kind: "sqlite", file }, { readOnly: false });
await store.claim({ host: "noc-1", pid: process.pid, started: Date.now(), version: "test" }, Date.now());
for (let n = 0; ; n++) {
  const target = `t${n % 7}`;
  const at = Date.now();
  const id = await store.passes.start({
    target,
    pass: "drift",
    trigger: "timer",
    started: at,
    commit: undefined,
    runner: `noc-1:${process.pid}`,
  });
  process.stdout.write(`started ${id}\n`);
  const path = (i) => `/config/shared/address/entry[@name='h${i}']`;
  const operations = Array.from({ length: 20 }, (_, i) => ({ action: "set", path: path(i), phase: "create", acknowledged: at }));
  const items = [{ path: path(n % 3), change: "differs", author: "alice", authorTime: undefined, view: {} }];
  await store.passes.finish(id, {
    ended: at,
    outcome: "applied",
    exitCode: 0,
    reason: undefined,
    durations: {},
    operations,
    drift: { items },
  });
  process.stdout.write(`finished ${id}\n`);
}

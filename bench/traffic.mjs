// Measures storing 1,000,000 sessions of a traffic log: bytes per flow, and the CPU time compared with only reading the records.
// Usage: npm run build && node bench/traffic.mjs [sessions]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../dist/agent/store/open.js";
import { openSqlite } from "../dist/agent/store/sqlite.js";
import { readSessions } from "../dist/reachability/traffic/read-sessions.js";
import { trafficLog } from "../dist/targets/panos/policy/logged-session.js";

const SESSIONS = Number(process.argv[2] ?? 1_000_000);
const HOURS = 24;
const PAGE = 5_000;
const T0 = Date.UTC(2026, 10, 20);
const STEP = (HOURS * 3_600_000) / SESSIONS;
const text = (time) => new Date(time).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");

function recordOf(n, kinds) {
  const random = (n * 2_654_435_761) % 4_294_967_296;
  // A small number of kinds has most of the sessions.
  const kind = Math.floor((random / 4_294_967_296) ** 2 * kinds);
  const time = text(T0 + n * STEP);
  return new Map(
    Object.entries({
      ...{
        seqno: `${n + 1}`,
        receive_time: time,
        start: time,
        subtype: "end",
        vsys: "vsys1",
        from: `zone-${kind % 12}`,
        to: `zone-${kind % 7}`,
      },
      ...{ src: `10.${kind % 250}.${(kind >> 8) % 250}.${kind % 91}`, dst: `172.16.${kind % 40}.${(kind * 7) % 250}`, proto: "tcp" },
      ...{
        dport: `${[443, 80, 53, 5432, 22][kind % 5]}`,
        sport: `${1024 + (random % 60_000)}`,
        app: ["ssl", "web-browsing", "dns"][kind % 3],
      },
      ...{
        srcuser: kind % 4 === 0 ? "acme\\ann" : "",
        rule: `rule-${kind % 300}`,
        rule_uuid: `00000000-0000-0000-0000-${kind % 300}`,
        bytes: `${random % 90_000}`,
      },
    }),
  );
}

/** Returns a log with `there()` sessions, oldest first, as the traffic keeper reads them. */
function logOf(kinds, there) {
  return {
    deviceTime: async () => text(T0 + there() * STEP),
    records: async ({ since }) => {
      const found = [];
      for (
        let n = Math.max(0, Math.floor((Date.parse(`${since.replaceAll("/", "-").replace(" ", "T")}Z`) - T0) / STEP) - 5);
        n < there();
        n++
      ) {
        const record = recordOf(n, kinds);
        if (record.get("receive_time") > since) break;
        if (record.get("receive_time") === since) found.push(record);
      }
      return found.reverse();
    },
    async *pages({ type, since = "", count, direction }) {
      if (type === "config") return;
      if (direction === "backward") throw new Error("unexpected direction: the first read is of an empty log");
      let n = Math.max(0, Math.floor((Date.parse(`${since.replaceAll("/", "-").replace(" ", "T")}Z`) - T0) / STEP));
      for (let given = 0; given < count && n < there(); ) {
        const page = [];
        for (; page.length < PAGE && n < there(); n++) page.push(recordOf(n, kinds));
        given += page.length;
        yield page;
      }
    },
  };
}

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};

async function keep(kinds) {
  const folder = mkdtempSync(join(tmpdir(), "traffic-"));
  const file = join(folder, "plumbline.db");
  const store = await openStore({ kind: "sqlite", file }, { readOnly: false });
  let there = 0;
  const logs = logOf(kinds, () => there);
  const reading = { logs, sessionLog: trafficLog, target: "edge", keep: 7 * 86_400_000, stop: new AbortController().signal };
  await store.traffic.take("edge", reading.keep, T0, 1);
  const mark = { since: text(T0), until: text(T0), number: "-1", read: text(T0), clock: text(T0), at: T0, lastCommit: undefined, gaps: [] };
  await store.traffic.add(await store.traffic.log("edge", "0070"), { mark, hours: new Map(), more: false }, 10_000_000);
  let began = cpu();
  for (let n = 0; n < SESSIONS; n++) trafficLog.read(recordOf(n, kinds));
  const parsing = cpu() - began;
  began = cpu();
  // The agent reads the log every quarter of an hour.
  for (let quarter = 1; quarter <= HOURS * 4; quarter++) {
    there = Math.floor((SESSIONS * quarter) / (HOURS * 4));
    for (let more = true; more; ) {
      const log = await store.traffic.log("edge", "0070");
      const read = await readSessions({ ...reading, before: log.mark, now: T0 + there * STEP });
      await store.traffic.add(log, read, 10_000_000);
      more = read.more;
    }
  }
  const spent = cpu() - began;
  began = cpu();
  let [flows, sessions] = [0, 0];
  for await (const hour of (await store.traffic.of("edge")).hours("")) {
    flows += hour.flows.length;
    for (const { times } of hour.flows) sessions += times;
  }
  const back = cpu() - began;
  await store.close();
  const backend = openSqlite(file, { readOnly: false });
  const rows = await backend.db.selectFrom("traffic_hours").select("data").execute();
  const bytes = rows.reduce((sum, { data }) => sum + data.byteLength, 0);
  await backend.close();
  rmSync(folder, { recursive: true });
  if (sessions !== SESSIONS) throw new Error(`${sessions} sessions of ${SESSIONS} were stored`);
  console.log(
    `${kinds} kinds: ${flows} flows, ${(bytes / flows).toFixed(1)} bytes each, ${(bytes / sessions).toFixed(2)} bytes per session;`,
    `stored in ${spent.toFixed(1)} s, ${(spent / parsing).toFixed(1)} times reading the records (${parsing.toFixed(1)} s); read back in ${back.toFixed(2)} s`,
  );
}

for (const kinds of [2_000, 50_000]) await keep(kinds);

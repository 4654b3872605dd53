// Lab firewalls in a separate process: node bench/agent/lab.mjs COUNT ENTRIES CA-FILE. Sends its addresses as a message, and on request the
// time of each first write.
import { writeFileSync } from "node:fs";
import { startLab } from "../../dist/lab/lab.js";

const [count, entries, caFile] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
const rows = Array.from(
  { length: entries },
  (_, i) =>
    `<entry name="host-${i}"><ip-netmask>10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}</ip-netmask><description>made for measuring, number ${i}, nothing else</description></entry>`,
);
const config = `<config version="11.1.0"><mgt-config><users><entry name="admin"/></users></mgt-config><shared/><devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>fw</hostname></system></deviceconfig><vsys><entry name="vsys1"><address>${rows.join("")}</address></entry></vsys></entry></devices></config>`;
const administrators = ["plumbline", "alice"].map((name) => ({ name, password: "plumbline", role: { kind: "superuser" } }));
const devices = Array.from({ length: count }, (_, i) => ({ name: `fw${i}`, config, administrators, jobDuration: 0 }));
const lab = await startLab({ devices });
writeFileSync(caFile, lab.caPem);
let watching = false;
for (const match of [{ action: "set" }, { action: "multi-config" }]) {
  lab.fault({
    match,
    effect: {
      kind: "call",
      run: () => {
        if (watching) process.send({ wrote: Date.now() });
        watching = false;
      },
    },
    count: 1_000_000,
  });
}
process.on("message", (message) => {
  if (message.watch) watching = true;
  if (message.meddle !== undefined) {
    const device = lab.devices[message.meddle];
    const xpath = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='host-0']";
    device.act("alice", { type: "config", action: "set", xpath, element: `<description>by hand ${Date.now()}</description>` });
    device.act("alice", { type: "commit", cmd: "<commit></commit>" });
  }
});
process.on("disconnect", () => process.exit(0));
process.send({ urls: lab.devices.map(({ url }) => url), bytes: config.length });

/**
 * Runs one command with a lab of a manager and its firewalls: node managed_lab.mjs [--port PORT] -- COMMAND
 *
 * `branch` (child of `offices`) has the firewalls a and b. `plants` has c with two virtual systems. Each has a template stack. The file $READY
 * contains the addresses, serial numbers and certificate authority. Needs `npm run build`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLab } from "../../../dist/lab/lab.js";

const at = process.argv.indexOf("--");
const flags = process.argv.slice(2, at);
const port = flags.includes("--port") ? Number(flags[flags.indexOf("--port") + 1]) : 0;

const SERIALS = { a: "007000000000001", b: "007000000000002", c: "007000000000003" };
const address = (name, ip) => `<entry name="${name}"><ip-netmask>${ip}</ip-netmask></entry>`;
const members = (...serials) => serials.map((serial) => `<entry name="${serial}"/>`).join("");
const systems = (...names) => names.map((name) => `<entry name="${name}"/>`).join("");
const template = (name, domain) =>
  `<entry name="${name}"><config><devices><entry name="localhost.localdomain"><deviceconfig><system><domain>${domain}</domain></system></deviceconfig><vsys><entry name="vsys1"/></vsys></entry></devices></config></entry>`;

const MANAGER = `<config version="11.1.0"><mgt-config><users><entry name="admin"><permissions><role-based><superuser>yes</superuser></role-based></permissions></entry></users>
<devices>${members(...Object.values(SERIALS))}</devices></mgt-config>
<shared><address>${address("dns", "192.0.2.53")}</address></shared>
<panorama><log-collector-group><entry name="collectors"/></log-collector-group></panorama>
<devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>manager</hostname></system></deviceconfig>
<template>${template("branch-net", "branch.example.net")}${template("plant-net", "plant.example.net")}</template>
<template-stack><entry name="branches"><templates><member>branch-net</member></templates><devices>${members(SERIALS.a, SERIALS.b)}</devices></entry>
<entry name="plants-stack"><templates><member>plant-net</member></templates><devices>${members(SERIALS.c)}</devices></entry></template-stack>
<device-group><entry name="offices"/><entry name="branch"><devices>${members(SERIALS.a, SERIALS.b)}</devices><address>${address("desk", "192.0.2.10")}</address></entry>
<entry name="plants"><devices><entry name="${SERIALS.c}"><vsys>${systems("vsys1", "vsys2")}</vsys></entry></devices></entry></device-group></entry></devices>
<readonly><devices><entry name="localhost.localdomain"><device-group><entry name="offices"><id>11</id></entry>
<entry name="branch"><id>12</id><parent-dg>offices</parent-dg></entry><entry name="plants"><id>13</id></entry></device-group></entry></devices></readonly></config>`;

const firewall = (name, ...vsys) =>
  `<config version="11.1.0"><mgt-config><users><entry name="admin"><permissions><role-based><superuser>yes</superuser></role-based></permissions></entry></users></mgt-config><shared/><devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>${name}</hostname></system></deviceconfig><vsys>${systems(...vsys)}</vsys></entry></devices></config>`;

const behind = (name, ...vsys) => ({
  name,
  manager: "manager",
  system: { serial: SERIALS[name] },
  config: firewall(`fw-${name}`, ...vsys),
});

const folder = await mkdtemp(join(tmpdir(), "plumbline-managed-"));
const readyFile = join(folder, "ready.json");
const lab = await startLab({
  port,
  readyFile,
  devices: [{ name: "manager", config: MANAGER }, behind("a", "vsys1"), behind("b", "vsys1"), behind("c", "vsys1", "vsys2")],
});
const command = spawn("sh", ["-c", process.argv.slice(at + 1).join(" ")], { stdio: "inherit", env: { ...process.env, READY: readyFile } });
const [code] = await once(command, "exit");
await lab.close();
await rm(folder, { recursive: true });
process.exitCode = code ?? 1;

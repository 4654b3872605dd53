import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { PlumblineError } from "../../core/errors.js";
import { mergeDuplicates } from "../../core/tree/merge-duplicates.js";
import type { TreeNode } from "../../core/tree/node.js";
import { parseXml } from "../../core/tree/xml/parse.js";
import { parseXmlFile } from "../../core/tree/xml/parse-file.js";
import { announce } from "../announce.js";
import type { Listener } from "../http/listen.js";
import { systemClock } from "./clock.js";
import { LabDevice } from "./device.js";
import type { Fault } from "./faults/fault.js";
import { type LabCertificate, makeCertificate } from "./http/certificate.js";
import { listen } from "./http/server.js";
import { type ActReply, LabCore } from "./lab-core.js";
import { Attachment } from "./manager/attachment.js";
import type { DeviceOptions, LabOptions } from "./options.js";
import { child } from "./state/system-facts.js";

/** Default configuration of a lab firewall: two zones, a few objects and one rule. */
const SAMPLE = `<config version="11.1.0" urldb="paloaltonetworks">
  <mgt-config>
    <users><entry name="admin"><permissions><role-based><superuser>yes</superuser></role-based></permissions></entry></users>
  </mgt-config>
  <shared/>
  <devices>
    <entry name="localhost.localdomain">
      <deviceconfig><system><hostname>lab-fw</hostname><ip-address>192.0.2.1</ip-address><netmask>255.255.255.0</netmask></system></deviceconfig>
      <network>
        <interface><ethernet>
          <entry name="ethernet1/1"><layer3><ip><entry name="198.51.100.1/24"/></ip></layer3></entry>
          <entry name="ethernet1/2"><layer3><ip><entry name="10.0.0.1/24"/></ip></layer3></entry>
        </ethernet></interface>
      </network>
      <vsys>
        <entry name="vsys1">
          <import><network><interface><member>ethernet1/1</member><member>ethernet1/2</member></interface></network></import>
          <zone>
            <entry name="untrust"><network><layer3><member>ethernet1/1</member></layer3></network></entry>
            <entry name="trust"><network><layer3><member>ethernet1/2</member></layer3></network></entry>
          </zone>
          <address><entry name="web-1"><ip-netmask>10.0.0.10</ip-netmask></entry><entry name="web-2"><ip-netmask>10.0.0.11</ip-netmask></entry></address>
          <address-group><entry name="web"><static><member>web-1</member><member>web-2</member></static></entry></address-group>
          <rulebase><security><rules>
            <entry name="allow-web" uuid="3f6f0a52-4d6e-4f6b-8b43-0e2a3a0f0001">
              <from><member>untrust</member></from><to><member>trust</member></to>
              <source><member>any</member></source><destination><member>web</member></destination>
              <source-user><member>any</member></source-user>
              <application><member>web-browsing</member></application><service><member>application-default</member></service>
              <action>allow</action>
            </entry>
          </rules></security></rulebase>
        </entry>
      </vsys>
    </entry>
  </devices>
</config>`;

/** One device of a running lab. */
export interface RunningDevice {
  readonly name: string;
  /** Base URL. The API is at `/api/`, the control interface of the lab at `/lab/`. */
  readonly url: string;
  /** Base URL without TLS, if `plainHttp` is set. */
  readonly plainUrl: string | undefined;
  /** State of the device: candidate, running, journal, jobs and accounts. */
  readonly state: LabDevice;
  /** Executes a request as an administrator, without API keys, faults and HTTP. */
  act(admin: string, params: Readonly<Record<string, string>>): ActReply;
}

export interface RunningLab {
  readonly devices: readonly RunningDevice[];
  /** The first device. */
  readonly device: RunningDevice;
  readonly caPem: string;
  /** Adds a fault for the matching requests. */
  fault(fault: Fault): void;
  clearFaults(): void;
  /** Continues requests that a `hold` fault stopped. */
  release(): void;
  close(): Promise<void>;
}

/**
 * Starts lab firewalls in this process. Resolves when all accept connections. Throws `lab-config-invalid` if a file or text is not a
 * configuration.
 */
export async function startLab(options: LabOptions = {}): Promise<RunningLab> {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? randomBytes;
  const wanted = options.devices ?? [{}];
  const configurations = new Map<string, TreeNode>();
  const devices: LabDevice[] = [];
  for (const [index, each] of wanted.entries()) {
    devices.push(new LabDevice(each.name ?? `fw${index + 1}`, await configurationOf(each, configurations), each, { clock, random }));
  }
  pairUp(devices);
  attach(devices);
  const core = new LabCore(devices, clock);
  const certificate = options.certificate ?? (await makeCertificate(Date.now(), options.certificateNames));
  const listeners: Listener[] = [];
  try {
    const running = await listenAll(core, certificate, options, listeners);
    const [first] = running;
    if (first === undefined) throw new PlumblineError("lab-config-invalid", "A lab needs at least one device.");
    if (options.readyFile !== undefined) await announce(options.readyFile, certificate.caPem, firewallFacts(running));
    return {
      devices: running,
      device: first,
      caPem: certificate.caPem,
      fault: (fault) => core.faults.add(fault),
      clearFaults: () => core.faults.clear(),
      release: () => core.held.release(),
      close: async () => {
        core.held.release();
        await Promise.all(listeners.map((listener) => listener.close()));
      },
    };
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.close()));
    throw error;
  }
}

async function listenAll(core: LabCore, certificate: LabCertificate, options: LabOptions, listeners: Listener[]): Promise<RunningDevice[]> {
  const host = options.host ?? "127.0.0.1";
  let port = options.port ?? 0;
  const running: RunningDevice[] = [];
  for (const state of core.devices) {
    const secure = await listen(core, state, certificate, host, port);
    listeners.push(secure);
    if (port !== 0) port++;
    let plainUrl: string | undefined;
    if (state.options.plainHttp === true) {
      const plain = await listen(core, state, undefined, host, 0);
      listeners.push(plain);
      plainUrl = plain.url;
    }
    running.push({ name: state.name, url: secure.url, plainUrl, state, act: (admin, params) => core.act(state, admin, params) });
  }
  return running;
}

/** Reads a device's configuration. Devices with the same file or text share one tree. */
async function configurationOf({ config, configFile }: DeviceOptions, known: Map<string, TreeNode>): Promise<TreeNode> {
  const key = configFile ?? (typeof config === "string" ? config : undefined);
  const shared = key === undefined ? undefined : known.get(key);
  if (shared !== undefined) return shared;
  const read = configFile === undefined ? parseXml(config ?? SAMPLE) : parseXmlFile(configFile, await readFile(configFile));
  const configuration = configurationIn(read);
  if (configuration === undefined) {
    throw new PlumblineError("lab-config-invalid", `A firewall's configuration begins with <config>, this one with <${read.tag}>.`, {
      where: { file: configFile },
      next: "Export the running configuration of a firewall as XML.",
    });
  }
  const { root } = mergeDuplicates(configuration);
  if (key !== undefined) known.set(key, root);
  return root;
}

/** Finds the configuration in a file: a bare `<config>`, or a saved reply to `show` or `get`. */
function configurationIn(root: TreeNode): TreeNode | undefined {
  const below = root.tag === "response" ? child(root, "result") : undefined;
  return root.tag === "config" ? root : child(below, "config");
}

function pairUp(devices: readonly LabDevice[]): void {
  for (const device of devices) {
    const peer = devices.find((each) => each.name === device.options.peer);
    if (peer === undefined || device.peer !== undefined) continue;
    device.peer = peer;
    peer.peer = device;
    device.haState = "active";
    peer.haState = "passive";
  }
}

function attach(devices: readonly LabDevice[]): void {
  for (const device of devices) {
    const manager = devices.find(({ name }) => name === device.options.manager);
    if (manager === undefined) continue;
    device.attachment = new Attachment(manager);
    for (const each of [manager, manager.peer]) each?.firewalls.push(device);
  }
}

/** Returns the firewall entries of the ready file. */
export function firewallFacts(devices: readonly RunningDevice[]): Readonly<Record<string, unknown>> {
  const firewalls = devices.map(({ name, url, plainUrl, state }) => ({ name, url, plainUrl, serial: state.serial }));
  return { firewall: devices[0]?.url, firewalls };
}

import type { LabDevice } from "../device.js";
import { result, success } from "../http/reply.js";
import { isManager } from "../state/device-groups.js";
import { child, hostname, systemOf, vsysEntries } from "../state/system-facts.js";
import { fields, type OperationTable } from "./operation.js";

/**
 * System information in the specification's field order. Fields with a neutral name in the specification are also included under the
 * devices' name.
 */
function systemInformation(device: LabDevice): [string, string][] {
  const system = systemOf(device.running);
  const setting = (tag: string, fallback: string): string => child(system, tag)?.text ?? fallback;
  const manager = isManager(device.running);
  const model = device.options.system?.model ?? (manager ? "Panorama" : "PA-VM");
  const name = hostname(device.running);
  const rows: [string, string][] = [
    ["hostname", name],
    ["ip-address", setting("ip-address", "127.0.0.1")],
    ["netmask", setting("netmask", "255.255.255.0")],
    ["default-gateway", setting("default-gateway", "")],
    ["ipv6-address", setting("ipv6-address", "unknown")],
    ["ipv6-link-local-address", "fe80::250:56ff:fe00:1/64"],
    ["ipv6-default-gateway", setting("ipv6-default-gateway", "")],
    ["mac-address", "00:50:56:00:00:01"],
    ["time", `${new Date(device.clock.now()).toUTCString()}\n`],
    ["uptime", uptime(device.clock.now() - device.started)],
    ["devicename", name],
    ["family", familyOf(model)],
    ["model", model],
    ["serial", device.serial],
    ...(model === "PA-VM" ? VIRTUAL : []),
    ["sw-version", device.version],
    ["app-version", "8800-8600"],
    ["app-release-date", "2026/01/05  08:00:00"],
    ["av-version", "4800-5300"],
    ["av-release-date", "2026/01/05  08:00:00"],
    ["threat-version", "8800-8600"],
    ["threat-release-date", "2026/01/05  08:00:00"],
    ["url-filtering-version", "20260105.20001"],
    ["logdb-version", "11.1.0"],
    ["platform-family", familyOf(model)],
    ["logger_mode", "False"],
    ["vpn-disable-mode", "off"],
    ["operational-mode", "normal"],
    ["multi-vsys", multiVsys(device)],
    ...(manager ? [["system-mode", "panorama"] as [string, string]] : []),
  ];
  return [
    ...rows,
    ...PRODUCT_FIELDS.flatMap(([neutral, branded, text]): [string, string][] => [
      [neutral, text],
      [branded, text],
    ]),
  ];
}

function familyOf(model: string): string {
  if (model === "Panorama") return "pc";
  return model === "PA-VM" ? "vm" : model.replace(/^PA-/, "");
}

/** Returns `on` if the configuration has more than one virtual system. */
export function multiVsys(device: LabDevice): "on" | "off" {
  return vsysEntries(device.running).length > 1 ? "on" : "off";
}

/** Fields with a product name: the specification's neutral name, the devices' name and the value. */
const PRODUCT_FIELDS: readonly (readonly [string, string, string])[] = [
  ["remote-client-package-version", "global-protect-client-package-version", "0.0.0"],
  ["analysis-version", "wildfire-version", "0"],
  ["analysis-release-date", "wildfire-release-date", "unknown"],
  ["remote-datafile-version", "global-protect-datafile-version", "unknown"],
  ["remote-datafile-release-date", "global-protect-datafile-release-date", "unknown"],
];

const VIRTUAL: [string, string][] = [
  ["vm-mac-base", "00:50:56:00:00:00"],
  ["vm-mac-count", "256"],
  ["vm-uuid", "00000000-0000-4000-8000-000000000001"],
  ["vm-cpuid", "LAB:00000000"],
  ["vm-license", "VM-100"],
  ["vm-mode", "Lab"],
];

/** Formats a duration as `N days, h:mm:ss`. */
function uptime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${Math.floor(seconds / 86_400)} days, ${Math.floor(seconds / 3600) % 24}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

export const SYSTEM_OPERATIONS: OperationTable = {
  "show/system/info": {
    needs: undefined,
    run: ({ device }) => success(undefined, [`<result><system>${fields(systemInformation(device))}</system></result>`]),
  },
  "show/clock": { needs: "extras", run: ({ device }) => result(`${new Date(device.clock.now()).toUTCString()}\n`) },
  "show/interface": {
    needs: "extras",
    run: ({ device, node }) => {
      const counters = fields([
        ["rx-bytes", "123456"],
        ["rx-packets", "1234"],
        ["tx-bytes", "123456"],
        ["tx-packets", "1234"],
      ]);
      const info = fields([
        ["name", node.text === "management" ? "Management Interface" : node.text],
        ["ip", child(systemOf(device.running), "ip-address")?.text ?? "127.0.0.1"],
      ]);
      return result(`<info>${info}</info><counters>${counters}</counters>`);
    },
  },
};

import type { TreeNode } from "../../../core/tree/node.js";
import { child } from "../state/system-facts.js";
import { type Chain, last } from "../tree/config-tree.js";

/**
 * Whether the interface of a zone is imported into the zone's vsys. If the vsys imports nothing, every interface is allowed. Devices check
 * it on writes (measured on 12.1.2; client: pan-os-python). References of other nodes return true.
 */
export function isImportedForZone(chain: Chain, value: string): boolean {
  const zone = chain.findLastIndex((node) => node.tag === "zone");
  if (zone < 0 || last(chain).tag !== "member" || chain[zone + 2]?.tag !== "network" || value.startsWith("$")) return true;
  const imported = importsOf(chain[zone - 1]);
  return imported.size === 0 || imported.has(value);
}

/**
 * Returns the messages of a commit about interfaces of virtual routers and IPsec tunnels that no vsys imports: "network -> virtual-router ->
 * default -> interface 'ethernet1/8' is not a valid reference" (issue 173 of pan-os-ansible). Includes the devices of templates.
 */
export function unimportedInterfaces(root: TreeNode): string[] {
  return devicesOf(root).flatMap((device) => {
    const imported = new Set(entriesOf(device, "vsys").flatMap((system) => [...importsOf(system)]));
    if (imported.size === 0) return [];
    return usesOf(child(device, "network"))
      .filter(({ value }) => value !== "" && !value.startsWith("$") && !imported.has(value))
      .map(({ where, value }) => `network -> ${where} '${value}' is not a valid reference`);
  });
}

function devicesOf(config: TreeNode): TreeNode[] {
  const devices = entriesOf(config, "devices");
  const templates = devices.flatMap((device) => [...entriesOf(device, "template"), ...entriesOf(device, "template-stack")]);
  return [...devices, ...templates.flatMap((template) => entriesOf(child(template, "config"), "devices"))];
}

function usesOf(network: TreeNode | undefined): { readonly where: string; readonly value: string }[] {
  const ofRouters = entriesOf(network, "virtual-router").flatMap((router) =>
    (child(router, "interface")?.children ?? []).map(({ text }) => ({
      where: `virtual-router -> ${router.name} -> interface`,
      value: text,
    })),
  );
  const ofTunnels = entriesOf(child(network, "tunnel"), "ipsec").map((tunnel) => ({
    where: `tunnel -> ipsec -> ${tunnel.name} -> tunnel-interface`,
    value: child(tunnel, "tunnel-interface")?.text ?? "",
  }));
  return [...ofRouters, ...ofTunnels];
}

function importsOf(system: TreeNode | undefined): ReadonlySet<string> {
  const list = child(child(child(system, "import"), "network"), "interface");
  return new Set(list?.children.map(({ text }) => text));
}

function entriesOf(node: TreeNode | undefined, list: string): readonly TreeNode[] {
  return child(node, list)?.children ?? [];
}

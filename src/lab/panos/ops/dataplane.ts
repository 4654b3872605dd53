import type { TreeNode } from "../../../core/tree/node.js";
import type { LabDevice } from "../device.js";
import { type Reply, result } from "../http/reply.js";
import { child, vsysEntries } from "../state/system-facts.js";
import { texts } from "../traffic/objects.js";
import { interfacesOf } from "../traffic/route.js";
import { fields, type OperationTable } from "./operation.js";

/** Limits of a PA-VM. */
const MAX_SESSIONS = "64000";

/** Commands about sessions and routes. Field names: clients (panos_facts of pan-os-ansible, the SOAR integration of demisto/content). */
export const DATAPLANE_OPERATIONS: OperationTable = {
  "show/session/info": { needs: "extras", run: ({ device }) => sessionInfo(device) },
  "show/session/meter": { needs: "extras", run: ({ device }) => sessionMeter(device) },
  // Sessions of the lab end as soon as they are decided.
  "show/session/all": { needs: "extras", run: () => result("") },
  "show/routing/route": { needs: "extras", run: ({ device }) => result(ROUTE_FLAGS + routesOf(device.running).map(routeEntry).join("")) },
};

function sessionInfo({ traffic }: LabDevice): Reply {
  traffic.advance();
  return result(
    fields([
      ["num-active", "0"],
      ["num-max", MAX_SESSIONS],
      ["num-tcp", "0"],
      ["num-udp", "0"],
      ["num-icmp", "0"],
      ["num-installed", String(traffic.sessions)],
      ["pps", "0"],
      ["kbps", "0"],
      ["cps", "0"],
    ]),
  );
}

/** Devices print the number of a virtual system, not its name. */
function sessionMeter(device: LabDevice): Reply {
  const entries = vsysEntries(device.running).map(({ name = "" }) =>
    fields([
      ["current", "0"],
      ["maximum", "0"],
      ["throttled", "0"],
      ["vsys", name.replace(/^vsys/, "")],
    ]),
  );
  return result(entries.map((entry) => `<entry>${entry}</entry>`).join(""));
}

const ROUTE_FLAGS = "<flags>flags: A:active, ?:loose, C:connect, H:host, S:static, ~:internal, R:rip, O:ospf, B:bgp</flags>";

interface Route {
  readonly router: string;
  readonly destination: string;
  readonly nexthop: string;
  readonly metric: string;
  readonly flags: string;
  readonly interface: string;
}

/** Connected and static routes of the running configuration. The lab runs no routing protocol. */
function routesOf(config: TreeNode): Route[] {
  const network = child(child(config, "devices")?.children[0], "network");
  return (child(network, "virtual-router")?.children ?? []).flatMap((entry) => {
    const router = entry.name ?? "";
    const own = new Set(texts(child(entry, "interface")));
    const connected = interfacesOf(network)
      .filter(({ name }) => own.has(name))
      .map(({ name, address }) => ({ router, destination: address, nexthop: "0.0.0.0", metric: "0", flags: "A C", interface: name }));
    const tables = [child(child(entry, "routing-table"), "ip"), child(child(entry, "routing-table"), "ipv6")];
    const fixed = tables.flatMap((table) => child(table, "static-route")?.children ?? []).map((route) => staticRoute(router, route));
    return [...connected, ...fixed];
  });
}

function staticRoute(router: string, route: TreeNode): Route {
  const text = (node: TreeNode | undefined, tag: string): string => child(node, tag)?.text ?? "";
  const hop = child(route, "nexthop");
  const nexthop = hop?.children[0]?.text ?? "";
  return {
    router,
    destination: text(route, "destination"),
    nexthop: nexthop === "" ? (hop?.children[0]?.tag ?? "0.0.0.0") : nexthop,
    metric: text(route, "metric") || "10",
    flags: "A S",
    interface: text(route, "interface"),
  };
}

function routeEntry(route: Route): string {
  const row = fields([
    ["virtual-router", route.router],
    ["destination", route.destination],
    ["nexthop", route.nexthop],
    ["metric", route.metric],
    ["flags", route.flags],
    ["age", ""],
    ["interface", route.interface],
    ["route-table", "unicast"],
  ]);
  return `<entry>${row}</entry>`;
}

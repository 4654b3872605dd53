import type { Body } from "../client/request.js";
import { textOf, textsOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { fixedIps, incomplete, isDue } from "./network-members.js";
import { networkWriter } from "./network-writer.js";

export const networkObjects = networkWriter({ list: "networks", singular: "network", own: ["subnets"] });

export const subnetObjects = networkWriter({
  list: "subnets",
  singular: "subnet",
  own: [],
  async members(entry, path, context, tags) {
    if (tags !== undefined) return {};
    const network = path.parent?.parent;
    const cidr = textOf(entry, "cidr");
    if (cidr === undefined) throw incomplete("a subnet needs its cidr", path, context);
    return {
      network_id: await idOf(context, "networks", network?.name ?? "", network ?? path),
      ip_version: cidr.includes(":") ? 6 : 4,
    };
  },
});

export const portObjects = networkWriter({
  list: "ports",
  singular: "port",
  own: ["network", "fixed_ips", "security_groups"],
  async members(entry, path, context, tags) {
    const said: Record<string, Body> = {};
    if (tags === undefined) {
      const network = textOf(entry, "network");
      if (network === undefined) throw incomplete("a port needs its network", path, context);
      said.network_id = await idOf(context, "networks", network, path.child("network"));
    }
    if (isDue("fixed_ips", entry, tags)) said.fixed_ips = await fixedIps(entry, "fixed_ips", path, context);
    if (isDue("security_groups", entry, tags)) {
      const at = path.child("security_groups");
      said.security_groups = await Promise.all(
        textsOf(entry, "security_groups").map((key) => idOf(context, "security_groups", key, at.member(key))),
      );
    }
    return said;
  },
});

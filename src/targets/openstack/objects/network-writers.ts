import type { Body } from "../../openstack-client/client/request.js";
import { textOf, textsOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { fixedIps, incomplete, isDue } from "./network-members.js";
import { networkWriter } from "./network-writer.js";
import { shareable } from "./shares-writer.js";

export const networkObjects = networkWriter(shareable({ list: "networks", singular: "network", own: ["subnets"] }));

export const subnetObjects = networkWriter({
  list: "subnets",
  singular: "subnet",
  own: ["subnetpool"],
  async members(entry, path, context, tags) {
    if (tags !== undefined) return {};
    const network = path.parent?.parent;
    const [cidr, pool, length] = ["cidr", "subnetpool", "prefixlen"].map((tag) => textOf(entry, tag));
    if (cidr === undefined && pool === undefined) throw incomplete("a subnet needs its cidr or its subnetpool", path, context);
    const subnetpool_id = pool === undefined ? undefined : await idOf(context, "subnetpools", pool, path.child("subnetpool"));
    const version = subnetpool_id === undefined ? undefined : context.inventory.object("subnetpools", subnetpool_id)?.ip_version;
    return {
      network_id: await idOf(context, "networks", network?.name ?? "", network ?? path),
      ip_version: Number(version ?? (cidr?.includes(":") === true ? 6 : (textOf(entry, "ip_version") ?? 4))),
      ...(subnetpool_id === undefined ? {} : { subnetpool_id }),
      ...(length === undefined ? {} : { prefixlen: Number(length) }),
    };
  },
  /** The service assigns a gateway to a subnet from a pool, even if the request contains no gateway. */
  async addParts({ id, object, before, after, context }) {
    if (before !== undefined || textOf(after, "gateway_ip") !== "null" || object.gateway_ip === null) return false;
    const body = { subnet: { gateway_ip: null } };
    await context.client.request({ service: "network", method: "PUT", path: ["subnets", id], body });
    return true;
  },
});

export const portObjects = networkWriter({
  list: "ports",
  singular: "port",
  own: ["network", "fixed_ips", "security_groups"],
  async members(entry, path, context, tags) {
    const body: Record<string, Body> = {};
    if (tags === undefined) {
      const network = textOf(entry, "network");
      if (network === undefined) throw incomplete("a port needs its network", path, context);
      body.network_id = await idOf(context, "networks", network, path.child("network"));
    }
    if (isDue("fixed_ips", entry, tags)) body.fixed_ips = await fixedIps(entry, "fixed_ips", path, context);
    if (isDue("security_groups", entry, tags)) {
      const at = path.child("security_groups");
      body.security_groups = await Promise.all(
        textsOf(entry, "security_groups").map((key) => idOf(context, "security_groups", key, at.member(key))),
      );
    }
    return body;
  },
});

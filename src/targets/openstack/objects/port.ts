import { textAt, texts } from "../../../core/json/value.js";
import { networkMark } from "../owner-marks.js";
import { leaf, members } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, fixedIps, networkObject, tagsOf } from "./network-service.js";

const entry = entryShape("ports");

export const ports: ObjectKind = {
  ...networkObject("ports"),
  entry,
  needs: ["networks", "subnets", "security_groups"],
  /** Ports of servers, routers and the services themselves are shown only where they carry a mark. */
  isShown: (port) => (textAt(port, "device_owner") ?? "") === "" || networkMark(port) !== undefined,
  special: (port, inventory) => ({
    tags: tagsOf(port),
    network: leaf("network", inventory.keyOf("networks", textAt(port, "network_id") ?? "")),
    fixed_ips: fixedIps("fixed_ips", port, "fixed_ips", entry.child("fixed_ips"), inventory),
    security_groups: members(
      "security_groups",
      (texts(port.security_groups) ?? []).map((id) => inventory.keyOf("security_groups", id)),
    ),
  }),
};

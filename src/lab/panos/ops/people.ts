import { escapeValue } from "../../../tree/xml/escape.js";
import { dateTime } from "../clock.js";
import { type Reply, result } from "../http/reply.js";
import { fields, type OperationCall, type OperationTable } from "./operation.js";

export const PEOPLE_OPERATIONS: OperationTable = {
  "show/admins": { needs: "extras", run: (call) => admins(call) },
  "show/user/ip-user-mapping-mp/ip": {
    needs: "extras",
    run: ({ device, node }) => mapping(node.text, device.userMappings.users.get(node.text)),
  },
  "show/object/registered-ip/ip": {
    needs: "extras",
    run: ({ device, node }) => registered(node.text, device.userMappings.tags.get(node.text)),
  },
};

/** Who is logged in; the asking administrator's own entry holds `self`. */
function admins({ device, admin }: OperationCall): Reply {
  const now = dateTime(device.clock.now());
  const rows = fields([
    ["admin", admin.name],
    ["from", "127.0.0.1"],
    ["type", "API"],
    ["session-start", now],
    ["idle-for", "00:00:00s"],
  ]);
  return result(`<admins><entry><self/>${rows}</entry></admins>`);
}

function mapping(ip: string, user: string | undefined): Reply {
  return result(
    user === undefined
      ? ""
      : `<entry>${fields([
          ["ip", ip],
          ["user", user],
          ["type", "XMLAPI"],
          ["idle_timeout", "2700"],
        ])}</entry><count>1</count>`,
  );
}

function registered(ip: string, tags: ReadonlySet<string> | undefined): Reply {
  if (tags === undefined || tags.size === 0) return result("<count>0</count>");
  const members = fields([...tags].map((tag) => ["member", tag] as const));
  return result(`<entry ip="${escapeValue(ip)}" from_agent="0" persistent="1"><tag>${members}</tag></entry><count>1</count>`);
}

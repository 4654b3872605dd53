import { escapeValue } from "../../../core/tree/xml/escape.js";
import { dateTime } from "../clock.js";
import { stored } from "../config/intake.js";
import { type Reply, result } from "../http/reply.js";
import { child } from "../state/system-facts.js";
import { fields, type OperationCall, type OperationTable, textAt } from "./operation.js";

export const PEOPLE_OPERATIONS: OperationTable = {
  "show/admins": { needs: "extras", run: (call) => admins(call) },
  "request/password-hash/password": {
    needs: "extras",
    run: ({ device, node }) => result(fields([["phash", stored("phash", node.text, device.settings.masterKey)]])),
  },
  "show/user/ip-user-mapping-mp/ip": {
    needs: "extras",
    run: ({ device, node }) => mapping(node.text, device.userMappings.users.get(node.text)),
  },
  "show/user/ip-user-mapping/all": { needs: "extras", run: (call) => mappings(call) },
  "show/object/registered-ip": { needs: "extras", run: (call) => registered(call) },
};

/** Lists the users that `type=user-id` registered. */
function mappings({ device, vsys = "vsys1" }: OperationCall): Reply {
  const entries = [...device.userMappings.users].map(([ip, user]) =>
    fields([
      ["ip", ip],
      ["vsys", vsys],
      ["type", "XMLAPI"],
      ["user", user],
      ["idle_timeout", "2700"],
      ["timeout", "2700"],
    ]),
  );
  return result(`${entries.map((entry) => `<entry>${entry}</entry>`).join("")}<count>${entries.length}</count>`);
}

/** Lists the logged-in administrators: only the administrator of the request, marked with `self`. */
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

/** Returns all registered addresses, the addresses with one `tag`, or one `ip`. `limit` and `start-point` select a page. */
function registered({ device, node }: OperationCall): Reply {
  const ip = textAt(node, "ip");
  const tag = child(child(node, "tag"), "entry")?.name;
  const start = Number(textAt(node, "start-point") ?? 1) - 1;
  const limit = Number(textAt(node, "limit") ?? Number.POSITIVE_INFINITY);
  const found = [...device.userMappings.tags].filter(
    ([address, tags]) => (ip === undefined || address === ip) && (tag === undefined || tags.has(tag)),
  );
  const entries = found.slice(start, start + limit).map(([address, tags]) => {
    const members = fields([...tags].map((each) => ["member", each] as const));
    return `<entry ip="${escapeValue(address)}" from_agent="0" persistent="1"><tag>${members}</tag></entry>`;
  });
  return result(`${entries.join("")}<count>${entries.length}</count>`);
}

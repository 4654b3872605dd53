import type { LabDevice } from "../device.js";
import { type Reply, result } from "../http/reply.js";
import { serialise } from "../tree/serialise.js";
import { version } from "./configurations.js";
import { fields, type OperationCall, type OperationTable, textAt } from "./operation.js";

export const AUDIT_OPERATIONS: OperationTable = {
  "show/config/audit/info": { needs: "saved", run: ({ device }) => versions(device) },
  "show/config/audit/version": {
    needs: "saved",
    run: ({ device, node }) => result(serialise(version(device, node.text), { marks: false })),
  },
  "show/config/audit/base-version": {
    needs: "saved",
    run: ({ device, node }) => result(serialise(version(device, node.text), { marks: false })),
  },
  "set/audit-comment": { needs: "extras", run: (call) => comment(call) },
  "show/config/list/audit-comments": { needs: "extras", run: (call) => comments(call) },
};

function versions(device: LabDevice): Reply {
  const entries = device.saved.versions.map(({ time, admin, description }, index) => {
    return `<entry>${fields([
      ["version", String(index + 1)],
      ["admin", admin],
      ["time", time],
      ["description", description],
    ])}</entry>`;
  });
  return result(`<audit>${entries.join("")}</audit>`);
}

/** Stores a comment for the node at the xpath. Clients send it before the change. */
function comment({ device, node }: OperationCall): Reply {
  device.auditComments.set(textAt(node, "xpath") ?? "", textAt(node, "comment") ?? "");
  return result("<msg><line>Audit comment set</line></msg>");
}

function comments({ device, node }: OperationCall): Reply {
  const xpath = textAt(node, "xpath") ?? "";
  const text = device.auditComments.get(xpath);
  return result(
    text === undefined
      ? ""
      : `<entry>${fields([
          ["xpath", xpath],
          ["comment", text],
        ])}</entry>`,
  );
}

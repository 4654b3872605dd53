import type { LabDevice } from "../device.js";
import { type Reply, result, success } from "../http/reply.js";
import { type ApiRequest, param } from "../http/request.js";
import { ruleRecords } from "../logs/traffic.js";
import { fields } from "../ops/operation.js";
import { parameterRequired, unknownCommand } from "../texts.js";

/** `type=report`: the one dynamic report that the lab has records for, over the last hour. */
export function handleReport(device: LabDevice, request: ApiRequest): Reply {
  const name = param(request, "reportname");
  if (name === undefined) throw parameterRequired("reportname");
  if (name !== "top-applications-summary") throw unknownCommand(`report -> ${name}`);
  const end = Math.floor(device.clock.now() / 1000);
  const sessions = new Map<string, number>();
  for (const record of ruleRecords(device, "TRAFFIC")) {
    const app = record.get("app") ?? "";
    sessions.set(app, (sessions.get(app) ?? 0) + 1);
  }
  const entries = [...sessions].sort((a, b) => b[1] - a[1]).slice(0, Number(param(request, "topn") ?? 5));
  const rows = entries.map(
    ([app, count]) =>
      `<entry>${fields([
        ["name", app],
        ["sessions", String(count)],
      ])}</entry>`,
  );
  const attributes = `reportname="${name}" logtype="appstat" name="Top applications" start-epoch="${end - 3599}" end-epoch="${end}"`;
  return success(undefined, [`<report ${attributes}>${rows.join("")}</report>`]);
}

/** `type=version`: what answers, and in which version. */
export function handleVersion(device: LabDevice): Reply {
  const rows = fields([
    ["sw-version", device.version],
    ["multi-vsys", "off"],
    ["model", device.options.model ?? "PA-VM"],
    ["serial", device.serial],
  ]);
  return result(rows);
}

import type { LabDevice } from "../device.js";
import { jobNotFound, parameterRequired, unknownCommand } from "../device-messages.js";
import { enqueued, type Reply, result, success } from "../http/reply.js";
import { type ApiRequest, param } from "../http/request.js";
import { ruleRecords } from "../logs/traffic.js";
import { fields } from "../ops/operation.js";
import { multiVsys } from "../ops/system.js";

/**
 * Handles `type=report`: lists the applications of the sample traffic records; the reported period is always the last hour. The dynamic
 * report is a job. The predefined report is returned immediately, as a document without the usual `<response>` envelope.
 */
export function handleReport(device: LabDevice, request: ApiRequest): Reply {
  if (param(request, "action") === "get") return fetchReport(device, param(request, "job-id") ?? "");
  const name = param(request, "reportname");
  if (name === undefined) throw parameterRequired("reportname");
  const predefined = param(request, "reporttype") === "predefined";
  if (name !== (predefined ? "top-applications" : "top-applications-summary")) throw unknownCommand(`report -> ${name}`);
  if (predefined) return { ...success(undefined, []), body: [predefinedReport(device, name)] };
  const id = device.jobs.nextId();
  device.reports.set(id, topApplications(device, name, Number(param(request, "topn") ?? 5)));
  return enqueued(`Report job enqueued with jobid ${id}`, id);
}

function fetchReport(device: LabDevice, id: string): Reply {
  const report = device.reports.get(Number(id));
  if (report === undefined) throw jobNotFound(id);
  device.reports.delete(Number(id));
  return result(
    `<job>${fields([
      ["id", id],
      ["status", "FIN"],
    ])}</job>${report}`,
  );
}

function topApplications(device: LabDevice, name: string, count: number): string {
  return `<report reportname="${name}" logtype="appstat" ${lastHour(device)}>${applications(device, count)}</report>`;
}

function predefinedReport(device: LabDevice, name: string): string {
  return `<report reportname="${name}" logtype="appstat"><result logtype="appstat" ${lastHour(device)}>${applications(device, 50)}</result></report>`;
}

function lastHour(device: LabDevice): string {
  const end = Math.floor(device.clock.now() / 1000);
  return `name="Top applications" start-epoch="${end - 3599}" end-epoch="${end}"`;
}

function applications(device: LabDevice, count: number): string {
  const sessions = new Map<string, number>();
  for (const record of ruleRecords(device, "TRAFFIC")) {
    const app = record.get("app") ?? "";
    sessions.set(app, (sessions.get(app) ?? 0) + 1);
  }
  const most = [...sessions].sort((a, b) => b[1] - a[1]).slice(0, count);
  const rows = most.map(([name, uses]) => {
    return `<entry>${fields([
      ["name", name],
      ["sessions", String(uses)],
    ])}</entry>`;
  });
  return rows.join("");
}

/** Handles `type=version`: returns the software version, model and serial number. */
export function handleVersion(device: LabDevice): Reply {
  const rows = fields([
    ["sw-version", device.version],
    ["multi-vsys", multiVsys(device)],
    ["model", device.options.system?.model ?? "PA-VM"],
    ["serial", device.serial],
  ]);
  return result(rows);
}

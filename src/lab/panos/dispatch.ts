import type { Administrator } from "./access/administrators.js";
import { commit, type JobFault } from "./commit/commit.js";
import { handleConfig } from "./config/handle-config.js";
import type { LabDevice } from "./device.js";
import { DeviceError } from "./device-error.js";
import { notAuthorized, parameterRequired, unknownType } from "./device-messages.js";
import { keyReply, type Reply, refusal } from "./http/reply.js";
import { type ApiRequest, param } from "./http/request.js";
import { pushToAppliances } from "./manager/appliances.js";
import { advanceManaged, firewallOf, push } from "./manager/push.js";
import { handleOperation, parseCommand } from "./ops/handle-operation.js";
import { handleExport, handleImport } from "./other/files.js";
import { handleLog } from "./other/logs.js";
import { handleReport, handleVersion } from "./other/reports.js";
import { handleUserId } from "./other/user-id.js";
import { isManager } from "./state/device-groups.js";

/** Executes a request and returns the reply and its administrator. `as` skips authentication: a test acts as an administrator. */
export function dispatch(
  device: LabDevice,
  request: ApiRequest,
  jobFault: JobFault,
  as?: Administrator,
): { readonly reply: Reply; readonly admin: string | undefined } {
  let admin: Administrator | undefined = as;
  try {
    advance(device);
    const type = param(request, "type");
    if (type === undefined) throw parameterRequired("type");
    if (type === "keygen") return { reply: keygen(device, request), admin: param(request, "user") };
    if (!(type in HANDLERS) || (!SPEC_TYPES.has(type) && !device.capabilities.extras)) throw unknownType(type);
    requireParameters(type, request);
    admin ??= device.keys.authenticate(request.credentials);
    if (admin.role.deniedTypes?.includes(type) === true) throw notAuthorized(type);
    const target = PROXIED.has(type) ? param(request, "target") : undefined;
    const reply = HANDLERS[type]?.(target === undefined ? device : connected(device, target), admin, request, jobFault);
    if (reply === undefined) throw unknownType(type);
    advance(device);
    return { reply, admin: admin.name };
  } catch (error) {
    if (error instanceof DeviceError) return { reply: refusal(error), admin: admin?.name };
    throw error;
  }
}

/**
 * Advances the jobs of the manager and its firewalls together: a push that is due reaches its firewalls, whichever device receives the
 * request.
 */
function advance(device: LabDevice): void {
  const manager = device.attachment?.manager ?? device;
  if (manager.firewalls.length > 0) advanceManaged(manager);
  else device.jobs.advance();
}

/** Types that a manager forwards to the firewall in `target`. Other types ignore `target`. */
const PROXIED: ReadonlySet<string> = new Set(["op", "config", "commit", "export", "report", "user-id"]);

/** The message is the same for a disconnected firewall and for an unknown serial number. */
function connected(manager: LabDevice, serial: string): LabDevice {
  const firewall = firewallOf(manager, serial);
  if (firewall?.attachment?.isConnected !== true) throw new DeviceError("13", `${serial} not connected`);
  return firewall;
}

type Handler = (device: LabDevice, admin: Administrator, request: ApiRequest, jobFault: JobFault) => Reply;

const SPEC_TYPES: ReadonlySet<string> = new Set(["op", "config", "commit", "log"]);

const HANDLERS: Readonly<Record<string, Handler>> = {
  op: handleOperation,
  config: handleConfig,
  commit: handleCommit,
  log: (device, _, request) => handleLog(device, request),
  version: (device) => handleVersion(device),
  report: (device, _, request) => handleReport(device, request),
  export: (device, _, request) => handleExport(device, request),
  import: handleImport,
  "user-id": (device, _, request) => handleUserId(device, request),
};

/** Required parameters of each type. Checked before the key: a URL that a shell cut at its first `&` returns 400, not 403. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = { op: ["cmd"], config: ["action"], commit: ["cmd"] };

function requireParameters(type: string, request: ApiRequest): void {
  for (const name of REQUIRED[type] ?? []) if (param(request, name) === undefined) throw parameterRequired(name);
}

function handleCommit(device: LabDevice, admin: Administrator, request: ApiRequest, jobFault: JobFault): Reply {
  const command = parseCommand(param(request, "cmd") ?? "");
  if (param(request, "action") === "all" && command.tag === "commit-all" && isManager(device.running)) {
    return pushToAppliances(device, command) ?? push(device, admin, command, jobFault);
  }
  if (command.tag !== "commit") throw new DeviceError("17", `${command.tag} unexpected here`);
  const reply = commit(device, admin, command, jobFault);
  device.configLog.noteCommand(admin.name, "commit");
  return reply;
}

function keygen(device: LabDevice, request: ApiRequest): Reply {
  const user = param(request, "user");
  const { password } = request.credentials;
  if (user === undefined) throw parameterRequired("user");
  if (password === undefined) throw parameterRequired("password");
  return keyReply(device.keys.generate(user, password));
}

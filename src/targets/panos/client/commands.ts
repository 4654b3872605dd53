import type { View } from "../../../plan/platform.js";
import type { LogQuery } from "../log-query.js";
import type { PanosRequest } from "./request.js";

/**
 * Escapes text for an element or a double-quoted attribute. Line ends and tabs become character references, so that XML parsers do not
 * normalize them.
 */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\r\n\t]/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** `nest("", "show", "system", "info")` is `<show><system><info></info></system></show>`. */
function nest(content: string, ...tags: readonly string[]): string {
  return tags.reduceRight((inner, tag) => `<${tag}>${inner}</${tag}>`, content);
}

/** An operational command that only reads. */
function show(cmd: string): PanosRequest {
  return {
    parameters: [
      ["type", "op"],
      ["cmd", cmd],
    ],
    repeatable: true,
  };
}

/** An operational command that changes something. A lost reply does not repeat it. */
function change(cmd: string, vsys?: string): PanosRequest {
  const scope = vsys === undefined ? [] : [["vsys", vsys] as const];
  return { parameters: [["type", "op"], ["cmd", cmd], ...scope], repeatable: false };
}

/** Reads a node of the configuration. `get` reads the candidate, `show` the running configuration. */
export function getConfiguration(view: View, xpath: string): PanosRequest {
  const action = view === "candidate" ? "get" : "show";
  return {
    parameters: [
      ["type", "config"],
      ["action", action],
      ["xpath", xpath],
    ],
    repeatable: true,
  };
}

/** Operational commands of the specification and of devices (docs/contributing/devices/panos.md). */
export const showSystemInfo = show(nest("", "show", "system", "info"));
export const showHighAvailability = show(nest("", "show", "high-availability", "state"));
export const showAdministrators = show(nest("", "show", "admins"));
export const showChanges = show(nest("", "show", "config", "list", "changes"));
export const checkPendingChanges = show(nest("", "check", "pending-changes"));
export const showDeviceGroups = show(nest("", "show", "dg-hierarchy"));
export const showManagedGroups = show(nest("", "show", "devicegroups"));
export const showManagedDevices = show(nest("", "show", "devices", "all"));
export const showManagedStacks = show(nest("", "show", "template-stack"));
export const showPushedTemplate = show(nest("", "show", "config", "pushed-template"));
export const showVersions = show(nest("", "show", "config", "audit", "info"));

/** Shows the complete configuration of a committed version. */
export function showVersion(version: number): PanosRequest {
  return show(nest(String(version), "show", "config", "audit", "version"));
}

export const showAllJobs = show(nest("", "show", "jobs", "all"));
export const validateFull = change(nest("", "validate", "full"));

/** Validates the changes of one administrator. Unfinished changes of other administrators are not included. */
export function validateOwn(administrator: string): PanosRequest {
  return change(nest(escapeXml(administrator), "validate", "partial", "admin", "member"));
}

/** Reads the hit counters of the security rules of a virtual system. */
export function showRuleHits(vsys: string): PanosRequest {
  const rules = `<entry name="security">${nest("", "rules", "all")}</entry>`;
  const system = `<entry name="${escapeXml(vsys)}">${nest(rules, "rule-base")}</entry>`;
  return show(nest(system, "show", "rule-hit-count", "vsys", "vsys-name"));
}

/** Reads the hit counters of security rules of a device group on its firewalls. */
export function showManagedRuleHits(group: string, level: "pre" | "post", rules: readonly string[]): PanosRequest {
  const names = nest(rules.map((rule) => `<entry name="${escapeXml(rule)}"/>`).join(""), "rules", "rule-name");
  const rulebase = nest(`<entry name="security">${names}</entry>`, `${level}-rulebase`);
  return show(nest(`<entry name="${escapeXml(group)}">${rulebase}</entry>`, "show", "rule-hit-count", "device-group"));
}

/** Shows the addresses that a firewall resolves FQDNs to. */
export const showFqdns = show(nest("", "show", "dns-proxy", "fqdn", "all"));

/** Shows the first `most` entries of an external list as the firewall fetched it. */
export function showExternalList(name: string, most: number): PanosRequest {
  const page = nest(escapeXml(name), "name") + nest("1", "anchor") + nest(String(most), "num-records");
  return show(nest(page, "request", "system", "external-list", "show", "type", "ip"));
}

/**
 * Shows the policy that Panorama pushed to a firewall. Without a virtual system: that of the only virtual system, or the part shared by
 * all.
 */
export function showPushedPolicy(vsys: string | undefined): PanosRequest {
  return show(nest(vsys === undefined ? "" : nest(escapeXml(vsys), "vsys"), "show", "config", "pushed-shared-policy"));
}

export function showJob(id: string): PanosRequest {
  return show(nest(escapeXml(id), "show", "jobs", "id"));
}

export function showLocks(kind: "config" | "commit"): PanosRequest {
  return show(nest("all", "show", `${kind}-locks`, "vsys"));
}

export function addConfigLock(vsys: string, comment: string): PanosRequest {
  return change(nest(escapeXml(comment), "request", "config-lock", "add", "comment"), vsys);
}

/** Removes the lock of this administrator, or that of the given administrator, which requires a superuser. */
export function removeLock(kind: "config" | "commit", vsys: string, administrator?: string): PanosRequest {
  const adminPart = administrator === undefined ? "" : nest(escapeXml(administrator), "admin");
  return change(nest(adminPart, "request", `${kind}-lock`, "remove"), vsys);
}

export function saveConfiguration(name: string): PanosRequest {
  return change(nest(escapeXml(name), "save", "config", "to"));
}

export function showSaved(name: string): PanosRequest {
  return show(nest(escapeXml(name), "show", "config", "saved"));
}

export function deleteSaved(name: string): PanosRequest {
  return change(nest(escapeXml(name), "delete", "config", "saved"));
}

export function revertOwnChanges(administrator: string): PanosRequest {
  return change(nest(escapeXml(administrator), "revert", "config", "partial", "admin", "member"));
}

/** A push to firewalls by device group, or to the firewalls of one template stack. */
export interface PushCommand {
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Virtual systems to name, by "GROUP SERIAL". Without an entry, the firewall is named only by its serial number. */
  readonly systems?: ReadonlyMap<string, readonly string[]> | undefined;
  readonly stack: { readonly name: string; readonly serials: readonly string[] } | undefined;
  readonly description: string;
  readonly includeTemplate: boolean;
  readonly validateOnly: boolean;
  /** Administrators whose changes a selective push includes. */
  readonly admins?: readonly string[] | undefined;
}

/**
 * Returns the command that pushes the running configuration to these firewalls. It contains every option, because an omitted option does
 * not mean "no".
 */
export function pushCommand({ groups, systems, stack, description, includeTemplate, validateOnly, admins }: PushCommand): PanosRequest {
  const yes = (tag: string, is: boolean) => nest(is ? "yes" : "no", tag);
  const entry = (name: string, inner: string) => `<entry name="${escapeXml(name)}">${inner}</entry>`;
  const adminPart = admins === undefined ? "" : nest(admins.map((admin) => nest(escapeXml(admin), "member")).join(""), "admin");
  const details = nest(escapeXml(description), "description") + adminPart;
  const options = yes("merge-with-candidate-cfg", false) + yes("force-template-values", false) + yes("validate-only", validateOnly);
  if (stack !== undefined) {
    const serials = stack.serials.map((serial) => nest(escapeXml(serial), "member")).join("");
    return push(
      nest(nest(escapeXml(stack.name), "name") + nest(serials, "device") + details + options, "commit-all", "template-stack"),
      validateOnly,
    );
  }
  const meant = (group: string, serial: string) => {
    const names = systems?.get(`${group} ${serial}`) ?? [];
    return entry(serial, names.length === 0 ? "" : nest(names.map((name) => entry(name, "")).join(""), "vsys"));
  };
  const rows = [...groups].map(([name, serials]) => entry(name, nest(serials.map((serial) => meant(name, serial)).join(""), "devices")));
  const list = nest(rows.join(""), "device-group");
  return push(nest(list + details + yes("include-template", includeTemplate) + options, "commit-all", "shared-policy"), validateOnly);
}

/** A validation can be repeated, a push cannot. */
function push(cmd: string, repeatable: boolean): PanosRequest {
  return {
    parameters: [
      ["type", "commit"],
      ["action", "all"],
      ["cmd", cmd],
    ],
    repeatable,
  };
}

/** Returns a commit command for all changes, or for the changes of one administrator. An undefined description is omitted. */
export function commitCommand(description: string | undefined, administrator: string | undefined): PanosRequest {
  const words = description === undefined ? "" : nest(escapeXml(description), "description");
  const partial = administrator === undefined ? "" : nest(escapeXml(administrator), "partial", "admin", "member");
  return {
    parameters: [
      ["type", "commit"],
      ["cmd", nest(words + partial, "commit")],
    ],
    repeatable: false,
  };
}

/** Creates a job that searches a log. Repeating it only creates another job. */
export function startLogQuery({ type, query, count, skip, direction }: LogQuery): PanosRequest {
  const optional = [
    ["query", query],
    ["nlogs", count],
    ["skip", skip],
    ["dir", direction],
  ] as const;
  const given = optional.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));
  return { parameters: [["type", "log"], ["log-type", type], ...given], repeatable: true };
}

/** The specification uses `jobid`; devices use `job-id` (docs/contributing/devices/panos.md#logs). */
export const LOG_JOB_PARAMETERS = ["jobid", "job-id"] as const;

/** Reads the records of a log job, or ends it. */
export function logJob(action: "get" | "finish", job: string, parameter: (typeof LOG_JOB_PARAMETERS)[number]): PanosRequest {
  return {
    parameters: [
      ["type", "log"],
      ["action", action],
      [parameter, job],
    ],
    repeatable: true,
  };
}

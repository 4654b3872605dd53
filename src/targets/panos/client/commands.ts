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

/** Operational commands of the specification and of devices (docs/contributing/devices/panos.md). */
export const showSystemInfo = nest("", "show", "system", "info");
export const showHighAvailability = nest("", "show", "high-availability", "state");
export const showAdministrators = nest("", "show", "admins");
export const showChanges = nest("", "show", "config", "list", "changes");
export const checkPendingChanges = nest("", "check", "pending-changes");
export const showDeviceGroups = nest("", "show", "dg-hierarchy");
export const showManagedGroups = nest("", "show", "devicegroups");
export const showManagedDevices = nest("", "show", "devices", "all");
export const showManagedStacks = nest("", "show", "template-stack");
export const showPushedTemplate = nest("", "show", "config", "pushed-template");
export const showVersions = nest("", "show", "config", "audit", "info");

/** Shows the complete configuration of a committed version. */
export function showVersion(version: number): string {
  return nest(String(version), "show", "config", "audit", "version");
}

export const showAllJobs = nest("", "show", "jobs", "all");
export const validateFull = nest("", "validate", "full");

/** Validates the changes of one administrator. Unfinished changes of other administrators are not included. */
export function validateOwn(administrator: string): string {
  return nest(escapeXml(administrator), "validate", "partial", "admin", "member");
}

/** Reads the hit counters of the security rules of a virtual system. */
export function showRuleHits(vsys: string): string {
  const rules = `<entry name="security">${nest("", "rules", "all")}</entry>`;
  const system = `<entry name="${escapeXml(vsys)}">${nest(rules, "rule-base")}</entry>`;
  return nest(system, "show", "rule-hit-count", "vsys", "vsys-name");
}

/** Shows the addresses that a firewall resolves FQDNs to. */
export const showFqdns = nest("", "show", "dns-proxy", "fqdn", "all");

/** Shows the first `most` entries of an external list as the firewall fetched it. */
export function showExternalList(name: string, most: number): string {
  const page = nest(escapeXml(name), "name") + nest("1", "anchor") + nest(String(most), "num-records");
  return nest(page, "request", "system", "external-list", "show", "type", "ip");
}

/**
 * Shows the policy that Panorama pushed to a firewall. Without a virtual system: that of the only virtual system, or the part shared by
 * all.
 */
export function showPushedPolicy(vsys: string | undefined): string {
  return nest(vsys === undefined ? "" : nest(escapeXml(vsys), "vsys"), "show", "config", "pushed-shared-policy");
}

export function showJob(id: string): string {
  return nest(escapeXml(id), "show", "jobs", "id");
}

export function showLocks(kind: "config" | "commit"): string {
  return nest("all", "show", `${kind}-locks`, "vsys");
}

export function addConfigLock(comment: string): string {
  return nest(escapeXml(comment), "request", "config-lock", "add", "comment");
}

/** Removes the lock of this administrator, or that of the given administrator, which requires a superuser. */
export function removeLock(kind: "config" | "commit", administrator?: string): string {
  const adminPart = administrator === undefined ? "" : nest(escapeXml(administrator), "admin");
  return nest(adminPart, "request", `${kind}-lock`, "remove");
}

export function saveConfiguration(name: string): string {
  return nest(escapeXml(name), "save", "config", "to");
}

export function showSaved(name: string): string {
  return nest(escapeXml(name), "show", "config", "saved");
}

export function deleteSaved(name: string): string {
  return nest(escapeXml(name), "delete", "config", "saved");
}

export function revertOwnChanges(administrator: string): string {
  return nest(escapeXml(administrator), "revert", "config", "partial", "admin", "member");
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
export function pushCommand({ groups, systems, stack, description, includeTemplate, validateOnly, admins }: PushCommand): string {
  const yes = (tag: string, is: boolean) => nest(is ? "yes" : "no", tag);
  const entry = (name: string, inner: string) => `<entry name="${escapeXml(name)}">${inner}</entry>`;
  const adminPart = admins === undefined ? "" : nest(admins.map((admin) => nest(escapeXml(admin), "member")).join(""), "admin");
  const details = nest(escapeXml(description), "description") + adminPart;
  const options = yes("merge-with-candidate-cfg", false) + yes("force-template-values", false) + yes("validate-only", validateOnly);
  if (stack !== undefined) {
    const serials = stack.serials.map((serial) => nest(escapeXml(serial), "member")).join("");
    return nest(nest(escapeXml(stack.name), "name") + nest(serials, "device") + details + options, "commit-all", "template-stack");
  }
  const meant = (group: string, serial: string) => {
    const names = systems?.get(`${group} ${serial}`) ?? [];
    return entry(serial, names.length === 0 ? "" : nest(names.map((name) => entry(name, "")).join(""), "vsys"));
  };
  const rows = [...groups].map(([name, serials]) => entry(name, nest(serials.map((serial) => meant(name, serial)).join(""), "devices")));
  const list = nest(rows.join(""), "device-group");
  return nest(list + details + yes("include-template", includeTemplate) + options, "commit-all", "shared-policy");
}

/** Returns a commit command for all changes, or for the changes of one administrator. An undefined description is omitted. */
export function commitCommand(description: string | undefined, administrator: string | undefined): string {
  const words = description === undefined ? "" : nest(escapeXml(description), "description");
  const partial = administrator === undefined ? "" : nest(escapeXml(administrator), "partial", "admin", "member");
  return nest(words + partial, "commit");
}

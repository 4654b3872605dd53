/** Text inside an element or a double-quoted attribute. Line ends and tabs are kept by reference, so that none is normalised away. */
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

/** Operational commands of the specification and of devices (docs/devices/panos.md). */
export const showSystemInfo = nest("", "show", "system", "info");
export const showHighAvailability = nest("", "show", "high-availability", "state");
export const showAdministrators = nest("", "show", "admins");
export const showChanges = nest("", "show", "config", "list", "changes");
export const checkPendingChanges = nest("", "check", "pending-changes");
export const showDeviceGroups = nest("", "show", "dg-hierarchy");
export const showAllJobs = nest("", "show", "jobs", "all");
export const validateFull = nest("", "validate", "full");

/** What a commit of this administrator alone would do: half-made work of others is not judged with it. */
export function validateOwn(administrator: string): string {
  return nest(escapeXml(administrator), "validate", "partial", "admin", "member");
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

/** Without an administrator, our own lock; with one, that administrator's, which takes a superuser. */
export function removeLock(kind: "config" | "commit", administrator?: string): string {
  const whose = administrator === undefined ? "" : nest(escapeXml(administrator), "admin");
  return nest(whose, "request", `${kind}-lock`, "remove");
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

/** A commit, of everything or of one administrator's changes. An undefined description is left out. */
export function commitCommand(description: string | undefined, administrator: string | undefined): string {
  const words = description === undefined ? "" : nest(escapeXml(description), "description");
  const partial = administrator === undefined ? "" : nest(escapeXml(administrator), "partial", "admin", "member");
  return nest(words + partial, "commit");
}

import { Path } from "../../core/tree/path.js";
import { deviceEntry } from "./scope.js";

/**
 * Configuration that Panorama pushed to a firewall, if it was read (`managed/read-pushed.ts`): `shared`, and rulebases, objects and zones of
 * each virtual system. Empty if the firewall does not report it.
 */
export const PUSHED_PATH = Path.root.child("config").child("panorama");

/**
 * Managed firewalls by serial number, if the reader requested them (`managed/read-firewalls.ts`). Each has `hostname`, and `config` with its
 * running configuration, or `unread` with the reason why it is unknown. `templates` next to them holds the reason why templates and stacks
 * could not be read.
 */
export const FIREWALLS = Path.root.child("config").child("firewalls");

/** Templates and stacks, which give managed firewalls their zones. A role that may only read policies may not read them. */
export const TEMPLATES = [deviceEntry.child("template"), deviceEntry.child("template-stack")];

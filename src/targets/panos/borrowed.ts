import { Path } from "../../core/tree/path.js";
import { deviceEntry } from "./scope.js";

/**
 * What a firewall's manager handed to it, where it was read (`managed/ask-handed.ts`): `shared`, and by virtual system rulebases, objects and
 * zones; empty where it does not say.
 */
export const HANDED = Path.root.child("config").child("panorama");

/**
 * Firewalls of a manager by serial number, where its reader asked for them (`managed/ask-own.ts`): `hostname`, and `config` with what is
 * running there, or `unread` with why it is not known. `templates` beside them says why templates and stacks could not be read.
 */
export const FIREWALLS = Path.root.child("config").child("firewalls");

/** What gives firewalls of a manager their zones: a role that reads policies alone may not read it. */
export const TEMPLATES = [deviceEntry.child("template"), deviceEntry.child("template-stack")];

import type { Administrator } from "../access/administrators.js";
import type { LabDevice } from "../device.js";
import { actionNotAllowed, parameterRequired } from "../device-messages.js";
import { done, type Reply } from "../http/reply.js";
import { type ApiRequest, param } from "../http/request.js";
import { multiConfig, multiSelection } from "./batch.js";
import { complete } from "./complete.js";
import { EDIT_ACTIONS, parseEdit, parseFragment } from "./parse.js";
import { get, show } from "./read.js";
import { performEdits, refuseWrites } from "./write.js";

const SPEC_ACTIONS: ReadonlySet<string> = new Set(["get", "set", "edit", "delete"]);

/** `type=config`. */
export function handleConfig(device: LabDevice, admin: Administrator, request: ApiRequest): Reply {
  const action = param(request, "action");
  if (action === undefined) throw parameterRequired("action");
  if (!isKnown(device, action)) throw actionNotAllowed(action);
  const value = (name: string): string | undefined => param(request, name);
  const elements = () => parseFragment(required(value("element")));
  if (EDIT_ACTIONS.has(action)) {
    const edit = parseEdit({ action, value, elements });
    refuseWrites(device, admin, edit);
    performEdits(device, admin, [edit]);
    return done();
  }
  switch (action) {
    case "show":
      return show(device, admin, value("xpath"));
    case "complete":
      return complete(device, value("xpath"));
    case "multi-config":
      return multiConfig(device, admin, elements(), value("strict-transactional") === "yes");
    case "multi-move":
    case "multi-clone":
      return multiSelection(device, admin, action, elements(), value);
    default:
      return get(device, admin, value("xpath"));
  }
}

function isKnown(device: LabDevice, action: string): boolean {
  const { moreActions, multiConfig: batches } = device.capabilities;
  if (SPEC_ACTIONS.has(action)) return true;
  if (action === "multi-config") return batches;
  return moreActions && (EDIT_ACTIONS.has(action) || ["show", "complete", "multi-move", "multi-clone"].includes(action));
}

function required(element: string | undefined): string {
  if (element === undefined) throw parameterRequired("element");
  return element;
}

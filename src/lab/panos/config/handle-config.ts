import { escapeValue } from "../../../core/tree/xml/escape.js";
import type { Administrator } from "../access/administrators.js";
import type { LabDevice } from "../device.js";
import { actionNotAllowed, badXPath, parameterRequired } from "../device-messages.js";
import { done, type Reply, success } from "../http/reply.js";
import { type ApiRequest, param } from "../http/request.js";
import { type Chain, last } from "../tree/config-tree.js";
import { locate } from "../tree/locate.js";
import { placeOf } from "../tree/place.js";
import { objectAround } from "../validation/object-of.js";
import { multiConfig, multiSelection } from "./batch.js";
import { EDIT_ACTIONS, parseEdit, parseFragment } from "./parse.js";
import { get, readXPath, show } from "./read.js";
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

/** Handles `complete`: returns the names of the entries below a node, or the allowed child elements if there are no entries. */
function complete(device: LabDevice, text: string | undefined): Reply {
  const xpath = text === undefined ? undefined : readXPath(text);
  const [chain] = xpath === undefined ? [] : locate(device.candidate.tree.root, xpath);
  if (chain === undefined) throw badXPath();
  const entries = last(chain).children.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const values = entries.length > 0 ? entries : childrenOf(chain);
  const completions = values.map((value) => `<completion value="${escapeValue(value)}"/>`);
  return success("19", [`<completions>${completions.join("")}</completions>`]);
}

/** Returns the allowed children of an object, or the alternatives of a container. */
function childrenOf(chain: Chain): readonly string[] {
  const object = objectAround(chain);
  const own = object?.depth === chain.length - 1 ? object.rule.children : undefined;
  return own ?? placeOf(chain).spot.choices.flat();
}

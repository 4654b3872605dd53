import { escapeValue } from "../../../core/tree/xml/escape.js";
import type { LabDevice } from "../device.js";
import { badXPath } from "../device-messages.js";
import { type Reply, success } from "../http/reply.js";
import { type Chain, last } from "../tree/config-tree.js";
import { locate } from "../tree/locate.js";
import { placeOf } from "../tree/place.js";
import { objectAround } from "../validation/object-of.js";
import { readXPath } from "./read.js";

/** Handles `complete`: returns the names of the entries below a node, or the allowed child elements if there are no entries. */
export function complete(device: LabDevice, text: string | undefined): Reply {
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

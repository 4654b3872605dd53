import { addressRange } from "../../../core/address-range.js";
import { literalService } from "../../../core/service-range.js";
import type { FlowField } from "../../../desired/assertions.js";

/** Looks like an address. Objects do not have such names. */
const LIKE_AN_ADDRESS = /^(?:[\d.]+(?:[/-][\d./]*)?|[\da-f]*:[\da-f:.]*(?:[/-].*)?)$/i;

/** Reports an error in a word of an assertion that does not depend on the rulebase. */
export function flowWordFault(field: FlowField, word: string): { readonly message: string; readonly next: string } | undefined {
  if ((field === "source" || field === "destination") && LIKE_AN_ADDRESS.test(word) && addressRange(word) === undefined)
    return { message: `"${word}" is not an address.`, next: "Write an address, a network, a range, or the name of an object." };
  if (field === "service" && (/^\d+$/.test(word) || (word.includes("/") && literalService(word) === undefined)))
    return { message: `"${word}" is no service.`, next: "Write tcp/443, udp/53,5353, icmp, or the name of a service." };
  return undefined;
}

import { addressRange } from "../../../core/address-range.js";
import { literalService } from "../../../core/service-range.js";
import type { FlowField } from "../../../desired/assertions.js";

/** What is wrong with a word of an assertion whatever the project holds. */
export function flowWordFault(field: FlowField, word: string): { readonly message: string; readonly next: string } | undefined {
  if (field === "application")
    return { message: `"${word}" cannot be asked for: security groups know no applications.`, next: "Write application: [any]." };
  if ((field === "source" || field === "destination") && addressRange(word) === undefined)
    return {
      message: `"${word}" is no address.`,
      next: "Write an address or a network; groups, ports and servers stand in from: and to:.",
    };
  if (field === "service" && literalService(word) === undefined)
    return { message: `"${word}" is no service.`, next: "Write tcp/443, udp/53,5353, or icmp." };
  return undefined;
}

import { addressRange } from "../../core/address-range.js";
import { literalService } from "../../core/service-range.js";
import type { FlowField } from "../../desired/assertions.js";

interface Fault {
  readonly message: string;
  readonly next: string;
}

/** Reports an error in a word of an assertion, for kinds whose rules have no applications and no names of addresses and services. */
export function literalFault(
  field: FlowField,
  word: string,
  { rules, zones }: { readonly rules: string; readonly zones: string },
): Fault | undefined {
  if (field === "application")
    return { message: `"${word}" cannot be used: ${rules} have no applications.`, next: "Write application: [any]." };
  if ((field === "source" || field === "destination") && addressRange(word) === undefined)
    return {
      message: `"${word}" is not an address.`,
      next: `Write an address or a network. ${zones} belong in from: and to:.`,
    };
  if (field === "service" && literalService(word) === undefined)
    return { message: `"${word}" is no service.`, next: "Write tcp/443, udp/53,5353, or icmp." };
  return undefined;
}

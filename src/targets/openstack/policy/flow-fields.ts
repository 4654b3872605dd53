import { addressRange } from "../../../core/address-range.js";
import { literalService } from "../../../core/service-range.js";
import type { FlowField } from "../../../desired/assertions.js";

interface Fault {
  readonly message: string;
  readonly next: string;
}

/** Reports an error in a word of an assertion that does not depend on the project. */
export function flowWordFault(field: FlowField, word: string): Fault | undefined {
  return literalFault(field, word, { rules: "security groups", zones: "groups, ports and servers" });
}

/** The same for all targets whose rules have no applications and no address names. */
export function literalFault(
  field: FlowField,
  word: string,
  { rules, zones }: { readonly rules: string; readonly zones: string },
): Fault | undefined {
  if (field === "application")
    return { message: `"${word}" cannot be used: ${rules} have no applications.`, next: "Write application: [any]." };
  if ((field === "source" || field === "destination") && addressRange(word) === undefined)
    return {
      message: `"${word}" is no address.`,
      next: `Write an address or a network. ${zones} belong in from: and to:.`,
    };
  if (field === "service" && literalService(word) === undefined)
    return { message: `"${word}" is no service.`, next: "Write tcp/443, udp/53,5353, or icmp." };
  return undefined;
}

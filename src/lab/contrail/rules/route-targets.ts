import { type JsonObject, objectAt, texts } from "../../../core/json/value.js";
import { badRequest, internalError } from "../world/controller-error.js";

const LISTS = ["route_target_list", "import_route_target_list", "export_route_target_list"];
const GLOBAL_ASN = "64512";
/** Numbers that the controller assigns automatically, with its own AS number. */
const [AUTOMATIC_FIRST, AUTOMATIC_LAST] = [8000000, 16777216];

/** Refuses malformed route targets, and targets from the controller's automatic range. */
export function checkRouteTargets(properties: JsonObject): void {
  for (const name of LISTS) {
    for (const target of texts(objectAt(properties, name)?.route_target) ?? []) {
      const [keyword, asn, number, ...rest] = target.split(":");
      if (keyword !== "target" || asn === undefined || number === undefined || rest.length > 0) {
        throw internalError("Unsupported response type: <class 'int'>");
      }
      if (asn === GLOBAL_ASN && Number(number) >= AUTOMATIC_FIRST && Number(number) <= AUTOMATIC_LAST) {
        throw badRequest(
          "Configured route target must use ASN that is different from global ASN or route target value must be less than " +
            `${AUTOMATIC_FIRST} and greater than ${AUTOMATIC_LAST}`,
        );
      }
    }
  }
}

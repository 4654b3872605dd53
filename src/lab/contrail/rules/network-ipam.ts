import { isObject, type JsonObject, objectsAt } from "../../../core/json/value.js";
import { joinedName } from "../world/stored-object.js";
import { blockOf, checkSubnet, settleSubnet } from "./addresses/subnet.js";
import type { TypeRules } from "./type-rules.js";

/** Flat IPAMs hold the subnets of all their networks; gateway and service address are filled in as in a network. */
export const networkIpamRules: TypeRules = {
  beforeCreate(_, { fqName, properties }) {
    settleOwnSubnets(properties, fqName);
  },
  beforeUpdate(_, { fqName }, { properties }) {
    settleOwnSubnets(properties, fqName);
  },
};

function settleOwnSubnets({ ipam_subnets: own }: JsonObject, fqName: readonly string[]): void {
  for (const entry of isObject(own) ? objectsAt(own, "subnets") : []) {
    const network = blockOf(entry);
    if (network === undefined) continue;
    checkSubnet(entry, network, joinedName(fqName));
    settleSubnet(entry, network);
  }
}

import { registryOf } from "../engine/target-kind.js";
import { contrailKind } from "./contrail/kind.js";
import { memoryKind } from "./memory/kind.js";
import { openstackKind } from "./openstack/kind.js";
import { panosKind } from "./panos/kind.js";

/** All kinds of target, in the order in which schemas and messages list them. */
export const kinds = registryOf([panosKind, openstackKind, contrailKind, memoryKind]);

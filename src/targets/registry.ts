import type { Logger } from "../core/logger.js";
import { logReadersOf, networksReadersOf, readersOf, writersOf } from "../engine/connections.js";
import { registryOf } from "../engine/target-kind.js";
import { contrailKind } from "./contrail/kind.js";
import { memoryKind } from "./memory/kind.js";
import { openstackKind } from "./openstack/kind.js";
import { panosKind } from "./panos/kind.js";

/** Every kind of target that desired state may name, in the order in which schemas and messages list them. */
export const kinds = registryOf([panosKind, openstackKind, contrailKind, memoryKind]);

export const readersFor = (logger: Logger) => readersOf(kinds, logger);
export const writersFor = (logger: Logger) => writersOf(kinds, logger);
export const logReadersFor = (logger: Logger) => logReadersOf(kinds, logger);
export const networksReadersFor = (logger: Logger) => networksReadersOf(kinds, logger);

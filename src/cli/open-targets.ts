import type { Logger } from "../core/logger.js";
import { logReadersOf, networksReadersOf, readersOf, writersOf } from "../engine/connections.js";
import { kinds } from "../targets/registry.js";

export const readersFor = (logger: Logger) => readersOf(kinds, logger);
export const writersFor = (logger: Logger) => writersOf(kinds, logger);
export const logReadersFor = (logger: Logger) => logReadersOf(kinds, logger);
export const networksReadersFor = (logger: Logger) => networksReadersOf(kinds, logger);

import { PlumblineError } from "../../../core/errors.js";
import type { Logger } from "../../../core/logger.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Attribution } from "../../../plan/diff/change.js";
import type { LogClient } from "../log-query.js";
import { attributeByMarks, markOf } from "./change-marks.js";
import { ConfigurationLog } from "./configuration-log.js";

/** Number of configuration log records to search. */
const LOG_RECORDS = 2_000;

/**
 * Finds the last author of a node: by the marks on the candidate (running has none), otherwise by the configuration log. Both are requested
 * at most once per read, and only on demand.
 */
export class Attributor {
  readonly #marks: (path: Path) => Promise<TreeNode>;
  readonly #logs: () => Promise<LogClient>;
  readonly #logger: Logger;
  #log: Promise<ConfigurationLog | undefined> | undefined;

  /** `marks` returns the candidate around a path. */
  constructor(marks: (path: Path) => Promise<TreeNode>, logs: () => Promise<LogClient>, logger: Logger) {
    this.#marks = marks;
    this.#logs = logs;
    this.#logger = logger;
  }

  async find(path: Path, node: TreeNode | undefined): Promise<Attribution | undefined> {
    const own = node === undefined ? undefined : markOf(node);
    if (own !== undefined) return own;
    const marked = attributeByMarks(await this.#marks(path), path);
    if (marked !== undefined) return marked;
    this.#log ??= this.#readLog();
    return (await this.#log)?.find(path);
  }

  /** Called when the configuration is read again: the log may have new records. */
  forget(): void {
    this.#log = undefined;
  }

  /** If the device has no log, or the role may not read it, the author stays unknown and the run continues. */
  async #readLog(): Promise<ConfigurationLog | undefined> {
    try {
      const logs = await this.#logs();
      const { records } = await logs.query({ type: "config", count: LOG_RECORDS, direction: "backward" });
      return new ConfigurationLog(records);
    } catch (error) {
      if (!(error instanceof PlumblineError)) throw error;
      this.#logger.debug({ code: error.code }, "the configuration log cannot be read");
      return undefined;
    }
  }
}

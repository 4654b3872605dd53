import { PlumblineError } from "../../../core/errors.js";
import type { Logger } from "../../../core/logger.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Attribution } from "../../../plan/diff/change.js";
import type { LogClient } from "../log-query.js";
import { attributeByMarks, markOf } from "./change-marks.js";
import { ConfigurationLog } from "./configuration-log.js";

/** Records of the configuration log that are looked through. */
const LOG_RECORDS = 2_000;

/**
 * Tells who last changed a node: by the marks on the candidate, which alone carries them, else by the configuration
 * log, else not at all. Both are asked for at most once a reading, and only when somebody wants to know.
 */
export class Attributor {
  readonly #marks: (path: Path) => Promise<TreeNode>;
  readonly #logs: () => Promise<LogClient>;
  readonly #logger: Logger;
  #log: Promise<ConfigurationLog | undefined> | undefined;

  /** `marks` gives the candidate's tree around a path. */
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

  /** The configuration is read anew: the log may tell more by now. */
  forget(): void {
    this.#log = undefined;
  }

  /** A device without the log, or a role without the right to it, leaves the question open; it does not end the run. */
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

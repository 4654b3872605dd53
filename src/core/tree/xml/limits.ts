/** Limits that prevent a hostile or broken reply from crashing the process. */
export interface XmlLimits {
  /** Bytes of UTF-8, for a buffer and for a string. */
  readonly maxBytes?: number;
  /** Maximum nesting of elements; the root is 1. */
  readonly maxDepth?: number;
  readonly maxElements?: number;
}

/** Above the largest configuration of a management system (180 MB), below V8's longest string (512 MB). */
export const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/** Real configurations stay below 30. */
export const DEFAULT_MAX_DEPTH = 256;

/**
 * Three times the number in the largest configuration. A document of 256 MB with only empty elements would exhaust the memory of the
 * process.
 */
export const DEFAULT_MAX_ELEMENTS = 16_000_000;

/** Bounds that keep a hostile or broken reply from taking the process down. */
export interface XmlLimits {
  /** Bytes of a buffer, or UTF-16 code units of a string. */
  readonly maxBytes?: number;
  /** Elements inside elements; the root is 1. */
  readonly maxDepth?: number;
  readonly maxElements?: number;
}

/** Above the largest configuration that a management system holds (180 MB), below V8's longest string (512 MB). */
export const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/** Real configurations stay under 30. */
export const DEFAULT_MAX_DEPTH = 256;

/** Three times what the largest configuration has; as many empty ones in 256 MB would take the memory of the process. */
export const DEFAULT_MAX_ELEMENTS = 16_000_000;

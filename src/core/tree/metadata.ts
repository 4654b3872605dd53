/**
 * Attributes with which a device records the author, the origin or the storage form of a node. They are never configuration
 * (docs/contributing/architecture.md#design-decisions). Some mark inherited nodes; the diff evaluates those.
 */
export const METADATA_ATTRIBUTES: ReadonlySet<string> = new Set([
  "admin",
  "time",
  "dirtyId",
  "uuid",
  "loc",
  "ptpl",
  "src",
  "version",
  "urldb",
  "detail-version",
  "type",
  "shared-name",
  "made-as",
  "panorama",
]);

/**
 * Attributes in which a device notes who changed a node, where it came from or how it is stored. They are never part
 * of what is configured (docs/design.md#one-tree); some mean "inherited" and are read as such by the diff.
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

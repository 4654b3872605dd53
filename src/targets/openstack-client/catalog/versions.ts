import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";

/** A version in the version document of a service. */
export interface ServiceVersion {
  /** For example `v2.1`. */
  readonly id: string;
  readonly status: string;
  /** Path step of this version. For example, nova uses `v2` for its `v2.0`. */
  readonly step: string;
  /** Range of microversions. Undefined if the version does not support them. */
  readonly min: string | undefined;
  readonly max: string | undefined;
}

/** Parses the version document of any service. Keystone wraps its list in `values`. */
export function readVersions(body: JsonObject): ServiceVersion[] {
  const wrapped = objectAt(body, "versions");
  const listed = wrapped === undefined ? objectsAt(body, "versions") : objectsAt(wrapped, "values");
  const single = objectAt(body, "version");
  return (single === undefined ? listed : [single]).flatMap((version) => {
    const id = textAt(version, "id");
    return id === undefined ? [] : [versionOf(id, version)];
  });
}

function versionOf(id: string, version: JsonObject): ServiceVersion {
  const self = objectsAt(version, "links").find((link) => textAt(link, "rel") === "self");
  const href = self === undefined ? undefined : textAt(self, "href");
  return {
    id,
    status: textAt(version, "status") ?? "",
    step: (href === undefined ? undefined : stepOf(href)) ?? id,
    min: textAt(version, "min_version") || undefined,
    max: textAt(version, "version") || undefined,
  };
}

/** Links may contain an internal host and scheme, so only the version step is used. */
function stepOf(href: string): string | undefined {
  return href.split(/[/?#]/).findLast((step) => VERSION_STEP.test(step));
}

export const VERSION_STEP = /^v\d+(\.\d+)?$/;

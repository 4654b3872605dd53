import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";

/** One version of a service, as its version document tells it. */
export interface ServiceVersion {
  /** `v2.1` */
  readonly id: string;
  readonly status: string;
  /** The step of the path that means this version: `v2` where nova's `v2.0` is meant. */
  readonly step: string;
  /** Bounds of microversions; undefined where the version has none. */
  readonly min: string | undefined;
  readonly max: string | undefined;
}

/** Reads the version document of any service; keystone wraps its list in `values`. */
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

/** Hrefs may name an inner host and scheme: of them only the version's step is believed. */
function stepOf(href: string): string | undefined {
  return href.split(/[/?#]/).findLast((step) => VERSION_STEP.test(step));
}

export const VERSION_STEP = /^v\d+(\.\d+)?$/;

import { type JsonObject, objectsAt, textAt } from "../../../core/json/value.js";

export type Interface = "public" | "internal" | "admin";

/** An address of a service in the catalog. */
export interface Endpoint {
  readonly type: string;
  readonly interface: string;
  readonly region: string | undefined;
  readonly url: string;
}

/** Reads `token.catalog` of v3. */
export function readCatalogV3(token: JsonObject): Endpoint[] {
  return objectsAt(token, "catalog").flatMap((service) =>
    objectsAt(service, "endpoints").flatMap((endpoint) => {
      const [type, url] = [textAt(service, "type"), textAt(endpoint, "url")];
      if (type === undefined || url === undefined) return [];
      return [
        { type, url, interface: textAt(endpoint, "interface") ?? "", region: textAt(endpoint, "region_id") ?? textAt(endpoint, "region") },
      ];
    }),
  );
}

const FIELDS_V2: readonly (readonly [Interface, string])[] = [
  ["public", "publicURL"],
  ["internal", "internalURL"],
  ["admin", "adminURL"],
];

/** Reads `access.serviceCatalog` of v2.0. */
export function readCatalogV2(access: JsonObject): Endpoint[] {
  return objectsAt(access, "serviceCatalog").flatMap((service) =>
    objectsAt(service, "endpoints").flatMap((endpoint) =>
      FIELDS_V2.flatMap(([name, field]) => {
        const [type, url] = [textAt(service, "type"), textAt(endpoint, field)];
        return type === undefined || url === undefined ? [] : [{ type, url, interface: name, region: textAt(endpoint, "region") }];
      }),
    ),
  );
}

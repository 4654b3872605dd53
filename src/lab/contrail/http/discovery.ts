import type { JsonObject } from "../../../core/json/value.js";
import { collectionOf, RESOURCE_TYPES } from "../schema/resource-types.js";

/** Name, path and method of the actions that `GET /` links. */
const LINKED_ACTIONS: readonly (readonly [name: string, path: string, method: string])[] = [
  ["prop-collection-get", "prop-collection-get", "GET"],
  ["prop-collection-update", "prop-collection-update", "POST"],
  ["ref-update", "ref-update", "POST"],
  ["ref-relax-for-delete", "ref-relax-for-delete", "POST"],
  ["name-to-id", "fqname-to-id", "POST"],
  ["id-to-name", "id-to-fqname", "POST"],
  ["useragent-keyvalue", "useragent-kv", "POST"],
  ["database-check", "db-check", "POST"],
  ["fetch-records", "fetch-records", "POST"],
  ["start-profile", "start-profile", "POST"],
  ["stop-profile", "stop-profile", "POST"],
  ["list-bulk-collection", "list-bulk-collection", "POST"],
  ["obj-perms", "obj-perms", "GET"],
  ["chown", "chown", "POST"],
  ["chmod", "chmod", "POST"],
  ["aaa-mode", "aaa-mode", "PUT"],
  ["obj-cache", "obj-cache", "GET"],
  ["obj-cache", "obj-cache", "POST"],
  ["execute-job", "execute-job", "POST"],
  ["abort-job", "abort-job", "POST"],
  ["amqp-publish", "amqp-publish", "POST"],
  ["amqp-request", "amqp-request", "POST"],
  ["hbs-get", "hbs-get", "POST"],
  ["watch", "watch", "GET"],
  ["virtual-network-ip-alloc", "virtual-network/%s/ip-alloc", "POST"],
  ["virtual-network-ip-free", "virtual-network/%s/ip-free", "POST"],
  ["virtual-network-subnet-ip-count", "virtual-network/%s/subnet-ip-count", "POST"],
  ["set-tag", "set-tag", "POST"],
  ["security-policy-draft", "security-policy-draft", "POST"],
];

/** Returns the document of `GET /`. Real clients build every URL from it. */
export function discovery(base: string): JsonObject {
  const link = (rel: string, path: string, name: string, method: string | null): JsonObject => ({
    link: { rel, href: `${base}/${path}`, name, method },
  });
  return {
    href: base,
    links: [
      link("documentation", "documentation/index.html", "documentation", "GET"),
      link("root", "config-root", "config-root", null),
      ...RESOURCE_TYPES.map((type) => link("collection", collectionOf(type), type, null)),
      ...RESOURCE_TYPES.map((type) => link("resource-base", type, type, null)),
      ...LINKED_ACTIONS.map(([name, path, method]) => link("action", path, name, method)),
    ],
  };
}

/*
 * Rules of devices about the content of a field, checked when it is written. `any` with other members is only refused at commit: no source
 * shows a refused write. Each has the reply that the lab copies.
 */

/** "At most 1 occurrence is allowed for group/member" (issue 563 of pan-os-ansible); attribute `max-count` of the device schema. */
export const ONE_MEMBER = [
  "rulebase|pre-rulebase|post-rulebase/*/rules/profile-setting/group",
  "rulebase|pre-rulebase|post-rulebase/*/rules/profile-setting/profiles/*",
  "rulebase|pre-rulebase|post-rulebase/nat/rules/to",
  "profile-group/virus|spyware|vulnerability|url-filtering|file-blocking|wildfire-analysis|data-filtering",
];

/** "'application-default' should not be used with another service" on a write (measured on 11.1 by OptivEdgeIntegrations). */
export const ALONE: readonly (readonly [pattern: string, words: readonly string[]])[] = [
  ["rulebase|pre-rulebase|post-rulebase/*/rules/service", ["application-default"]],
];

/** "ROUTE -> nexthop is invalid" for an empty next hop (issue 345 of ansible-pan, issue 584 of pan-os-ansible). */
export const NOT_EMPTY = ["network/virtual-router/routing-table/ip|ipv6/static-route/nexthop"];

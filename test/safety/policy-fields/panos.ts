import type { Field } from "./fields.js";

const ALWAYS = /^(readonly|predefined|mgt-config|panorama)$|units\/.*units$|shared-gateway\/\*/;
const OF_MANAGERS = /^devices\/\*\/(device-group|template|template-stack)$/;
/** Server profiles and accounts of the manager itself, and lists that a template does not contain. */
const IN_TEMPLATE =
  /^devices\/\*\/template\/\*\/config\/(readonly|predefined|mgt-config|panorama)|\/config\/devices\/\*\/(device-group|template|template-stack|log-.*|wildfire-.*|plugins|platform)$/;
/** A manager keeps objects and rules in device groups. */
const OBJECTS =
  /\/config\/(shared|devices\/\*\/vsys\/\*)\/(tag|address|address-group|region|external-list|dynamic-user-group|service|service-group|application.*|schedule|threats|profiles|profile-group|device-object|sdwan.*|(pre-|post-)?rulebase|admin-role|response-page|botnet|content-preview|multi-vsys)$/;

export const isSkipped = (tags: readonly string[]): boolean => {
  const text = tags.join("/");
  return ALWAYS.test(text) || IN_TEMPLATE.test(text) || OBJECTS.test(text) || /template-stack\/\*\/config$/.test(text);
};
export const inFirewall = (tags: readonly string[]): boolean => isSkipped(tags) || OF_MANAGERS.test(tags.join("/")) || tags[0] === "shared";
export const inShared = (tags: readonly string[]): boolean =>
  isSkipped(tags) ||
  tags[0] === "devices" ||
  /^shared\/((pre-|post-)?rulebase|admin-role|response-page|botnet|content-preview|multi-vsys)$/.test(tags.join("/"));
/** Post-rules are read by the same code as pre-rules. */
export const inManager = (tags: readonly string[]): boolean =>
  isSkipped(tags) ||
  tags[0] === "shared" ||
  /^devices\/\*\/(?!device-group|template)[^/]+$/.test(tags.join("/")) ||
  /post-rulebase\/(?!security$)[^/]*$/.test(tags.join("/"));

/** Returns a field as patterns name it: lists of a virtual system, device group or `shared` begin with `scope`. */
export function panosText({ tags }: Field): string {
  const text = tags.join("/").replace(/^devices\/\*\/template\/\*\/config\//, "");
  const scoped = text.replace(/^(devices\/\*\/vsys\/\*|shared)\//, "scope/").replace(/^devices\/\*\//, "");
  const isOfGroup = /^device-group\/\*\/(?!description|authorization-code|devices|reference-templates|master-device|to-sw-version|dg-id)/;
  return scoped.replace(isOfGroup, "scope/").replace(/^scope\/(pre-|post-)?rulebase\//, "rulebase/");
}

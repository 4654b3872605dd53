import type { Shape } from "../../../src/core/tree/shape.js";
import { buildShape } from "../../../src/core/tree/shape-table.js";

/** A small platform: shared and vsys objects, groups in groups, ordered rules, sub-interfaces, routers that name each other. */
export const smallShape: Shape = buildShape({
  root: {
    $: "container",
    shared: { $: "container global empty=absent", $use: ["objects"] },
    vsys: { $: "list structural scope", $use: ["objects"], rules: "@rules" },
    units: { $: "list defines=interface", tag: "leaf unique", comment: "leaf" },
    router: {
      $: "list defines=router",
      interface: "members refs=interface",
      route: { $: "list", next: "leaf refs=router", metric: "leaf" },
    },
  },
  types: {
    objects: {
      address: { $: "list defines=address namespace=address", "ip, fqdn": "leaf choice=value", tag: "members refs=tag" },
      group: {
        $: "list defines=group namespace=address",
        static: "members choice=content refs=address,group",
        dynamic: "leaf choice=content",
      },
      tag: { $: "list defines=tag", color: "leaf" },
    },
    rules: {
      $: "list ordered uuid",
      "source, destination": "members match refs=address,group reserved=any",
      action: "leaf",
      log: "leaf",
    },
  },
});

import { texts } from "../../../core/json/value.js";
import { networksWithout } from "../prefixes.js";
import { textsOf } from "../write/encode.js";
import { incomplete } from "./network-members.js";
import { networkWriter } from "./network-writer.js";
import { shareable } from "./shares-writer.js";

/** An update only adds prefixes to a pool. A separate action removes prefixes. */
export const subnetPoolObjects = networkWriter(
  shareable({
    list: "subnetpools",
    singular: "subnetpool",
    own: ["prefixes"],
    async members(entry, path, context, tags) {
      if (tags !== undefined) return {};
      const prefixes = textsOf(entry, "prefixes");
      if (prefixes.length === 0) throw incomplete("a subnet pool needs its prefixes", path, context);
      return { prefixes };
    },
    async addParts({ id, object, before, after, context }) {
      const had = texts(object.prefixes) ?? [];
      if (before === undefined || networksWithout(textsOf(after, "prefixes"), had).length === 0) return false;
      const ifRevision = typeof object.revision_number === "number" ? object.revision_number : undefined;
      const body = { subnetpool: { prefixes: [...new Set([...had, ...textsOf(after, "prefixes")])] } };
      await context.client.request({ service: "network", method: "PUT", path: ["subnetpools", id], ifRevision, body });
      return true;
    },
    async removeParts({ id, before, after, context }) {
      const prefixes = networksWithout(textsOf(before, "prefixes"), textsOf(after, "prefixes"));
      if (prefixes.length === 0) return;
      await context.client.request({ service: "network", method: "PUT", path: ["subnetpools", id, "remove_prefixes"], body: { prefixes } });
    },
  }),
);

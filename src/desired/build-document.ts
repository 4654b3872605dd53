import { PlumblineError } from "../core/errors.js";
import { shapeAt } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import { AT_PLACE, type BuildContext } from "./body/context.js";
import { Directives } from "./body/directives.js";
import { addFragment } from "./body/fragment.js";
import type { Header } from "./header.js";
import { DesiredNode } from "./model.js";
import type { YamlDocument } from "./yaml/document.js";

/** Builds the tree of one document from the root element: the undeclared steps of its place, and its `config:` below them. */
export function buildDocument(context: BuildContext, header: Header): DesiredNode | undefined {
  if (header.config === undefined) return undefined;
  const steps = header.place.steps();
  const shape = shapeAt(header.place, context.draft.kind.shape);
  if (shape.kind === "list" || shape.kind === "members" || shape.kind === "leaf")
    return context.error(
      new PlumblineError(
        "unknown-scope",
        `The place ${header.place.toString()} is a ${shape.kind}, and a document fills a container or an entry.`,
        {
          where: context.where(header.config),
          next: `Place the document one step higher and write ${header.place.tag}: in config:.`,
        },
      ),
    );
  const directives = Directives.read(context, header.config);
  directives.allowOnly("container");
  const from = directives.flag("$override") ? { ...AT_PLACE, override: true } : AT_PLACE;
  const facts = { origin: -1, prunes: false, declared: false };
  const last = steps.at(-1) as Path;
  const kids = context.children(context, header.config, shape, header.place, from, undefined);
  let node = new DesiredNode(last.tag, last.name, "", kids, facts);
  addFragment(context, node, directives, shape, from);
  for (const step of steps.slice(0, -1).reverse()) node = new DesiredNode(step.tag, step.name, "", [node], facts);
  return node;
}

/** Returns the targets that `$forEach` of a document selects from. */
export function forEachTargets(doc: YamlDocument): Set<string> {
  const targets = new Set<string>();
  const visit = (node: number): void => {
    const kind = doc.kind(node);
    if (kind === "scalar") return;
    for (let at = doc.first(node); !doc.ends(at); ) {
      const value = kind === "map" ? doc.after(at) : at;
      if (kind === "map" && doc.beginsWithDollar(at) && doc.text(at) === "$forEach" && doc.kind(value) === "map") {
        const target = doc.get(value, "in");
        if (target !== undefined && doc.kind(target) === "scalar") targets.add(doc.text(target));
      } else visit(value);
      at = doc.after(value);
    }
  };
  visit(doc.root);
  return targets;
}

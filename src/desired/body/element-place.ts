import { PlumblineError } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { Handling } from "../model.js";
import type { BuildContext, Inherited } from "./context.js";
import type { Directives } from "./directives.js";

/** An element and its place. `key` is the YAML node of its name. */
export interface ElementPlace {
  readonly tag: string;
  readonly key: number;
  readonly shape: Shape;
  readonly parent: Path;
  readonly from: Inherited;
}

export function pathOf(place: ElementPlace): Path {
  return place.parent.child(place.tag);
}

/** Returns the handling for `$override` and `$replace`. */
export function commonHandling(directives: Directives, from: Inherited): Handling | undefined {
  const replace = directives.flag("$replace");
  if (!from.override && !replace) return undefined;
  return { ...(from.override ? { override: true } : {}), ...(replace ? { replace: true } : {}) };
}

/** Reports an error with the form to write. */
export function wrongShape(context: BuildContext, tag: string, value: number, shape: Shape, next: string): undefined {
  const words: Record<Shape["kind"], string> = {
    container: "holds elements",
    entry: "holds elements",
    list: "is a list of named entries",
    members: "is a list of members",
    leaf: "holds one value",
    unknown: "is not known",
  };
  return context.error(new PlumblineError("wrong-shape", `"${tag}" ${words[shape.kind]}.`, { where: context.where(value), next }));
}

/** Quotes a scalar for use inside brackets and braces, if needed. */
export function flowScalar(text: string): string {
  return /^[\w./@-][\w ./@-]*$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

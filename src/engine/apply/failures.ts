import { PlumblineError } from "../../core/errors.js";
import { touchedPath } from "../../core/operation.js";
import { pathOf, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { PlannedOperation } from "../../plan/model.js";

interface Failure {
  readonly error: PlumblineError;
  readonly path: Path;
}

/**
 * Failures on a platform with independent objects (`Capabilities.independentObjects`). The other operations continue. Only operations that
 * need a missing object are skipped.
 */
export class Failures {
  readonly #failures: Failure[] = [];
  readonly #skipped: Path[] = [];
  readonly #missing = new Set<string>();
  /** Objects whose deletion was skipped. They are not created again over the existing ones. */
  readonly #kept: Path[] = [];
  /** Changes of the plan with at least one failed operation. */
  readonly #halfDone = new Set<number>();
  readonly #shape: Shape;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  get any(): boolean {
    return this.#failures.length > 0;
  }

  add({ operation, changes }: Pick<PlannedOperation, "operation" | "changes">, error: PlumblineError): void {
    for (const change of changes) this.#halfDone.add(change);
    const path = touchedPath(operation);
    this.#failures.push({ error, path });
    if (operation.action === "set" || operation.action === "edit") this.#miss(operation.element, path);
    if (operation.action === "delete") this.#kept.push(path);
  }

  /** Adds a failure that was found later: the platform did not finish an object. */
  addLate(error: PlumblineError, path: Path): void {
    this.#failures.push({ error, path });
  }

  /**
   * Returns true and records the operation if it must be skipped: its object is inside or refers to a missing object, or it deletes an
   * object whose replacement failed, or it creates an object whose deletion was skipped. The old object stays until the new one exists.
   */
  skips({ operation, changes }: Pick<PlannedOperation, "operation" | "changes">): boolean {
    if (!this.any) return false;
    const path = touchedPath(operation);
    const inside = this.#failures.some((failure) => failure.path.contains(path) && failure.path.depth < path.depth);
    const shape = shapeAt(path, this.#shape);
    const names = (operation.action === "set" || operation.action === "edit") && this.#names(operation.element, shape, shape);
    const halfDone = operation.action === "delete" && changes.some((change) => this.#halfDone.has(change));
    const isBelowKept = operation.action === "set" && this.#kept.some((at) => at.name !== undefined && at.contains(path));
    const skipped = inside || names || halfDone || isBelowKept;
    if (skipped) this.#skipped.push(path);
    if (skipped && operation.action === "delete") this.#kept.push(path);
    return skipped;
  }

  /**
   * Returns one error for all failures.
   * @param carriedOut Number of operations that were carried out.
   */
  summary(target: string, carriedOut: number): PlumblineError {
    const lines = this.#failures.map(({ error, path }) => `${path}: ${error.message}`);
    const shown = lines.slice(0, 10).join("; ") + (lines.length > 10 ? `; and ${lines.length - 10} more` : "");
    const left = this.#skipped.length === 0 ? "" : `. Not tried because they need it: ${this.#skipped.slice(0, 5).join(", ")}`;
    const first = this.#failures[0];
    return new PlumblineError(
      "partly-applied",
      `${this.#failures.length} of the changes failed, ${carriedOut} were applied: ${shown}${left}`,
      {
        where: { ...first?.error.where, target, xpath: first?.error.where.xpath ?? first?.path.toString() },
        next: first?.error.next ?? "Fix the cause and run again: only the missing changes are applied.",
        severity:
          carriedOut > 0 || this.#failures.some(({ error }) => error.severity === "partial")
            ? "partial"
            : first?.error.severity === "refused"
              ? "refused"
              : "error",
        cause: first?.error,
      },
    );
  }

  #miss(element: TreeNode, path: Path): void {
    if (path.name !== undefined) this.#missing.add(path.name);
    for (const child of element.children) this.#miss(child, pathOf(path, child));
  }

  #names(node: TreeNode, shape: Shape, above: Shape): boolean {
    const refers = shape.references.length > 0 || above.references.length > 0;
    if (refers && (this.#missing.has(node.text) || (node.name !== undefined && this.#missing.has(node.name)))) return true;
    return node.children.some((child) => this.#names(child, shape.child(child.tag), shape));
  }
}

import type { ServiceType } from "../harness/session.js";

/** Values of one field by the label that a difference is reported under. */
export type Values = Readonly<Record<string, unknown>>;

/** One kind of object and the generated requests for it. */
export interface Kind {
  readonly service: ServiceType;
  /** Path of the collection, and the keys of the bodies. */
  readonly path: string;
  readonly singular: string;
  readonly plural: string;
  /** A valid create. In any text, `$x` is the id of the object named x. `#` is the number of the round. */
  readonly base: Values;
  /** Borderline and invalid values of each field. */
  readonly fields: Readonly<Record<string, Values>>;
  /** Fields that an update may contain. */
  readonly updates: readonly string[];
  /** Queries of a list. */
  readonly queries: readonly string[];
  /** Further requests to one object: `[method, path after the object, body]` by label. */
  readonly actions?: Readonly<Record<string, readonly [method: string, path: string, body?: unknown]>>;
  /** A kind whose rounds only send one query. */
  readonly isReadOnly?: true;
  /** The field that an object is called by in paths. The default is `id`. */
  readonly identifiedBy?: string;
  /** Whether the service has ended its work on an object. Further requests wait for this. */
  // biome-ignore lint/suspicious/noExplicitAny: replies have many shapes
  readonly isSettled?: (object: any) => boolean;
  /** Actions that bring a new object into a state. Each round draws one of these lists before its own changes. */
  readonly states?: readonly (readonly string[])[];
  /** Maximum number of changes to one object. The default is 2. */
  readonly mostSteps?: number;
  /** Whether the object is read and compared after each change. */
  readonly isReadAfterChange?: true;
  /** The share of the rounds. */
  readonly weight: number;
}

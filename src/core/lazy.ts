/** Something that is made when it is first asked for, and kept. What fails is forgotten, so that a passing fault does not stay. */
export class Lazy<T> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** One at a time is made, shared by all who wait. */
  get(): Promise<T> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  /** What was made, or is being made; undefined where nothing is. */
  get made(): Promise<T> | undefined {
    return this.#made;
  }
}

/** A value, created on first use and then kept. A failure is not kept, so that a temporary error does not persist. */
export class Lazy<T> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** Only one creation runs at a time; all callers share it. */
  get(): Promise<T> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  /** The value that was created or is being created. Undefined before the first use. */
  get made(): Promise<T> | undefined {
    return this.#made;
  }
}

import type { Where } from "../core/errors.js";
import { SourceMap } from "./source-map.js";

/** One text file of the desired state. Converts offsets to lines and columns. */
export class SourceFile {
  /** Relative to the configuration's folder, with forward slashes. */
  readonly name: string;
  readonly text: string;
  readonly #map = new SourceMap();

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
    this.#map.add(name, text);
  }

  /** `offset` is in UTF-16 code units. */
  where(offset: number): Where {
    return this.#map.locate(Math.max(0, offset)) ?? { file: this.name };
  }
}

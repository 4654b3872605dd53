import { dirname, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { dayOf } from "../../core/day.js";
import { PlumblineError, PlumblineErrors } from "../../core/errors.js";
import { readRegularFileSync } from "../../core/regular-file.js";
import { parseConfigurationText } from "../../desired/configuration/read.js";
import { MOST_DOCUMENT_BYTES } from "../../desired/files.js";
import { loadDesired } from "../../desired/load.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import { sortByPlace } from "../../desired/problems.js";
import { kinds } from "../../targets/registry.js";
import { judged } from "../commands/validate.js";
import type { TokensOf } from "./subjects.js";
import { Tokens } from "./tokens.js";

/** Result of a check of the desired state. */
export interface Checked {
  readonly errors: readonly PlumblineError[];
  readonly warnings: readonly PlumblineError[];
  /** Undefined if it does not load completely. */
  readonly loaded: LoadedDesired | undefined;
}

export interface WorkspaceOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}

/** One desired state as the editor sees it: open documents override saved files. */
export class Workspace {
  /** Absolute path of plumbline.yaml. */
  readonly file: string;
  readonly #options: WorkspaceOptions;
  /** Texts of open documents by URI. */
  readonly #open = new Map<string, string>();
  #checked: Promise<Checked> | undefined;
  #lastComplete: LoadedDesired | undefined;

  constructor(file: string, options: WorkspaceOptions) {
    this.file = file;
    this.#options = options;
  }

  /** Sets the text of an open document. Undefined closes it, and the saved file is used again. */
  set(uri: string, text: string | undefined): void {
    if (text === undefined) this.#open.delete(uri);
    else this.#open.set(uri, text);
    this.#checked = undefined;
  }

  /** Discards the results, because files in the folder may have changed. */
  refresh(): void {
    this.#checked = undefined;
  }

  textOf(uri: string): string | undefined {
    return this.#open.get(uri);
  }

  /** Returns the name of a document relative to the folder of plumbline.yaml, with forward slashes. */
  nameOf(uri: string): string {
    return relative(dirname(this.file), fileURLToPath(uri)).split(sep).join("/");
  }

  uriOf(name: string): string {
    return pathToFileURL(name.startsWith("/") ? name : `${dirname(this.file)}${sep}${name}`).href;
  }

  /** Returns errors and warnings of the current state. */
  async check(): Promise<Checked> {
    this.#checked ??= this.#load(this.#texts());
    return await this.#checked;
  }

  /** Returns the last state that loaded completely, otherwise the saved state. Undefined if that does not load either. */
  async complete(): Promise<LoadedDesired | undefined> {
    await this.check();
    this.#lastComplete ??= await this.#read(new Map()).catch(() => undefined);
    return this.#lastComplete;
  }

  /** Returns the state with another text for one document. Undefined if it does not load. */
  async with(uri: string, text: string): Promise<LoadedDesired | undefined> {
    return await this.#read(new Map([...this.#texts(), [this.nameOf(uri), text]])).catch(() => undefined);
  }

  /** Returns errors and warnings with other texts for some documents, by file name. */
  async withAll(texts: ReadonlyMap<string, string>): Promise<Checked> {
    return await this.#judge(new Map([...this.#texts(), ...texts]));
  }

  /** Returns a reader of the documents' texts, which parses each document once. */
  tokens(): TokensOf {
    const known = new Map<string, Tokens | undefined>();
    return (name) => {
      if (!known.has(name)) known.set(name, this.#tokens(name));
      return known.get(name);
    };
  }

  #tokens(name: string): Tokens | undefined {
    const uri = this.uriOf(name);
    try {
      return new Tokens(this.textOf(uri) ?? readRegularFileSync(fileURLToPath(uri), MOST_DOCUMENT_BYTES).toString("utf8"));
    } catch {
      // The file was deleted or replaced since it was loaded.
      return undefined;
    }
  }

  async #load(texts: ReadonlyMap<string, string>): Promise<Checked> {
    const checked = await this.#judge(texts);
    this.#lastComplete = checked.loaded ?? this.#lastComplete;
    return checked;
  }

  async #judge(texts: ReadonlyMap<string, string>): Promise<Checked> {
    try {
      const loaded = await this.#read(texts);
      const { errors, warnings } = await judged(loaded);
      return { errors: sortByPlace([...errors, ...[...loaded.broken.values()].flat()]), warnings, loaded };
    } catch (error) {
      if (error instanceof PlumblineErrors) return { errors: error.errors, warnings: [], loaded: undefined };
      if (error instanceof PlumblineError) return { errors: [error], warnings: [], loaded: undefined };
      throw error;
    }
  }

  async #read(texts: ReadonlyMap<string, string>): Promise<LoadedDesired> {
    const { environment, now } = this.#options;
    const configuration = texts.get(this.nameOf(pathToFileURL(this.file).href));
    const parsed = configuration === undefined ? undefined : await parseConfigurationText(this.file, configuration, kinds);
    const today = dayOf(now());
    return await loadDesired(this.file, { environment, kinds, today, resolveSecrets: false, unsaved: texts, parsed });
  }

  #texts(): ReadonlyMap<string, string> {
    return new Map([...this.#open].map(([uri, text]) => [this.nameOf(uri), text]));
  }
}

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PlumblineError } from "../../core/errors.js";

/** The built front end. */
export interface Assets {
  /** Names the other two by addresses that change with what is in them. */
  readonly page: string;
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/** Beside this file once built; from the sources, where the build puts them. */
const PLACES = ["../../web/assets/", "../../../dist/web/assets/"];

/** @throws PlumblineError `page-not-built` */
export function readAssets(): Assets {
  for (const place of PLACES) {
    const read = (name: string): string => readFileSync(fileURLToPath(new URL(`${place}${name}`, import.meta.url)), "utf8");
    try {
      return { page: read("index.html"), script: read("app.js"), style: read("app.css"), icon: read("icon.svg") };
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    }
  }
  throw new PlumblineError("page-not-built", "The files of the page are not there.", {
    next: "Run `npm run build`; an installed package has them in dist/web/assets.",
  });
}

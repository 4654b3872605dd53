import { PlumblineError } from "../../core/errors.js";
import { packageFile } from "../../core/package-file.js";

/** Files of the built front end. */
export interface Assets {
  /** HTML. It refers to script and style by addresses that change with their content. */
  readonly page: string;
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/** @throws PlumblineError `page-not-built` */
export function readAssets(): Assets {
  const read = (name: string): string => packageFile(`dist/web/assets/${name}`);
  try {
    return { page: read("index.html"), script: read("app.js"), style: read("app.css"), icon: read("icon.svg") };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new PlumblineError("page-not-built", "The files of the page are missing.", {
      next: "Run `npm run build`; an installed package has them in dist/web/assets.",
    });
  }
}

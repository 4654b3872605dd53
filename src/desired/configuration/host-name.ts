import { PlumblineError } from "../../core/errors.js";

/** A host name as in a browser's address bar, without scheme and port. */
export const HOST_NAME_PATTERN = "^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$";
const HOST_NAME = new RegExp(HOST_NAME_PATTERN);

/**
 * Reads the names in a variable, separated by commas or blanks. Returns undefined for an unset variable.
 *
 * @throws PlumblineError `option-invalid`
 */
export function readHostNames(variable: string, text: string | undefined): readonly string[] | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const names = text.split(/[\s,]+/).filter((name) => name !== "");
  const wrong = names.find((name) => !HOST_NAME.test(name));
  if (wrong === undefined) return names;
  throw new PlumblineError("option-invalid", `${variable} names "${wrong}", which is no host name.`, {
    next: "Write names without scheme and port, with commas between, such as plumbline.example.com.",
  });
}

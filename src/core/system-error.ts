import { PlumblineError } from "./errors.js";

const OF_FILES = new Set(
  "EACCES EPERM ENOSPC EDQUOT EROFS EISDIR ENOTDIR ENOENT EEXIST ENOTEMPTY EMFILE ENFILE EIO ELOOP ENAMETOOLONG EBUSY".split(" "),
);

/** Returns the error for a refusal of the operating system, such as a full disk or a read-only folder. Undefined for other errors. */
export function systemError(error: unknown, target?: string): PlumblineError | undefined {
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (!OF_FILES.has(code ?? "") || /^(connect|listen|bind|getaddrinfo|spawn)\b/.test(syscall ?? "")) return undefined;
  const words = message.replace(/^[A-Z0-9]+: /, "").replace(/, [a-z]+( '.*')?$/, "");
  return new PlumblineError("system-refused", `The operating system refuses: ${words} (${syscall} ${code})`, {
    where: { file: path, target },
    next: "Check the name, the permissions and the free space of this place. --state selects another folder for the stored state.",
    cause: error,
  });
}

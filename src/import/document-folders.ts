/** Returns whether a folder is in `documents:` or below one of its folders. All paths are relative to the project. */
export function isAmong(folder: string, documents: readonly string[]): boolean {
  return documents.some((name) => {
    const listed = name.split("/").filter((part) => part !== "" && part !== ".");
    return listed.every((part, index) => folder.split("/")[index] === part);
  });
}

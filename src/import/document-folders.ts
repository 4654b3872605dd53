/** Whether a folder is one of `documents:`, or lies in one; all is relative to the project. */
export function isAmong(folder: string, documents: readonly string[]): boolean {
  return documents.some((name) => {
    const listed = name.split("/").filter((part) => part !== "" && part !== ".");
    return listed.every((part, index) => folder.split("/")[index] === part);
  });
}

import { PlumblineError } from "../core/errors.js";
import type { AccessWords } from "../outcome/access.js";

const COLUMNS = ["from", "to", "service", "application", "user", "from-zone", "to-zone"] as const;
const NEEDED = 4;

/** Parses the CSV file of `plumbline allow --requests`. Fields with quotes are not supported. */
export function requestsIn(text: string, file: string): AccessWords[] {
  const fault = (line: number, problem: string) =>
    new PlumblineError("requests-invalid", problem, {
      where: { file, line },
      next: `The first line must name columns: ${COLUMNS.join(",")}.`,
    });
  const rows = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((row, at) => ({
      line: at + 1,
      cells: row.split(",").map((cell) => cell.trim()),
      isBlank: row.trim() === "" || row.startsWith("#"),
    }))
    .filter(({ isBlank }) => !isBlank);
  const [head, ...requests] = rows;
  if (text.includes('"')) throw fault(1, "not supported yet: fields with quotes.");
  const unknown = head?.cells.find((name) => !COLUMNS.some((column) => column === name));
  if (head === undefined || unknown !== undefined) throw fault(head?.line ?? 1, `There is no column "${unknown ?? ""}".`);
  const missing = COLUMNS.slice(0, NEEDED).find((column) => !head.cells.includes(column));
  if (missing !== undefined) throw fault(head.line, `The column "${missing}" is missing.`);
  if (requests.length === 0) throw fault(head.line, "The file contains no request.");
  return requests.map(({ line, cells }) => {
    if (cells.length !== head.cells.length) throw fault(line, `The line has ${cells.length} fields instead of ${head.cells.length}.`);
    const of = (column: (typeof COLUMNS)[number]) => cells[head.cells.indexOf(column)] ?? "";
    const optional = (column: "user" | "from-zone" | "to-zone") => (of(column) === "" ? undefined : of(column));
    const words = { from: of("from"), to: of("to"), service: of("service"), application: of("application") };
    const empty = Object.entries(words).find(([, value]) => value === "");
    if (empty !== undefined) throw fault(line, `The field "${empty[0]}" is empty.`);
    return { ...words, user: optional("user"), fromZone: optional("from-zone"), toZone: optional("to-zone") };
  });
}

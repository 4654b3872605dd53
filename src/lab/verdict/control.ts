import type { VerdictFault } from "./faults.js";
import type { KnownFile } from "./known-files.js";
import type { VerdictLab } from "./service.js";

type Command = (lab: VerdictLab, body: unknown) => unknown;

/** The lab's control endpoint below `/lab/`, for tests in other processes. */
const COMMANDS: Readonly<Record<string, Command>> = {
  "GET journal": (lab) => lab.journal,
  "POST faults": (lab, body) => {
    for (const fault of listOf<VerdictFault>(body)) lab.faults.add(fault);
  },
  "DELETE faults": (lab) => lab.faults.clear(),
  "POST hashes": (lab, body) => {
    for (const file of listOf<KnownFile>(body)) lab.files.add(file, lab.now());
  },
};

export function control(lab: VerdictLab, method: string, path: string, body: Buffer): { readonly http: number; readonly text: string } {
  const command = COMMANDS[`${method} ${path}`];
  if (command === undefined) return { http: 404, text: JSON.stringify({ error: "unknown", commands: Object.keys(COMMANDS) }) };
  try {
    const parsed: unknown = body.length === 0 ? [] : JSON.parse(body.toString("utf8"));
    return { http: 200, text: JSON.stringify(command(lab, parsed) ?? { ok: true }) };
  } catch (error) {
    return { http: 400, text: JSON.stringify({ error: error instanceof Error ? error.message : String(error) }) };
  }
}

function listOf<T>(body: unknown): readonly T[] {
  return (Array.isArray(body) ? body : [body]) as T[];
}

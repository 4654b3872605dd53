import { relative, sep } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Folders whose tests start programs run first: a process with few loaded modules forks faster, and slow tests do not run alone at the end.
 */
const EARLY = ["simulation", "agent", "cli", "safety", "engine"];

/** Order of test files: by project, `EARLY` first; within a folder by duration, as in vitest. */
export default class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const rank = ({ project, moduleId }: TestSpecification): number =>
      projects.indexOf(project.name) * (EARLY.length + 1) + lateness(relative("test", moduleId));
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

function lateness(file: string): number {
  const folder = EARLY.indexOf(file.split(sep)[0] ?? "");
  return folder === -1 ? EARLY.length : folder;
}

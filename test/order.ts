import { relative, sep } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Folders whose tests start programs: a process that has loaded little is copied sooner, and what takes long does not run alone at the end. */
const EARLY = ["simulation", "agent", "cli", "safety", "engine"];

/** The order of test files: project by project, those of `EARLY` first; in each folder as vitest would, by how long they took. */
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

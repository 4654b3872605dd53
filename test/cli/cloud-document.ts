import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { DataCentre } from "./data-centre.js";

const FILE = "documents/cloud.yaml";

/** A cloud with one document, which is committed and applied. */
export class CloudDocument {
  private constructor(readonly centre: DataCentre) {}

  static async start(text: string): Promise<CloudDocument> {
    const centre = await DataCentre.start();
    centre.file(FILE, text).push();
    const { code, err } = await centre.run("reconcile cloud");
    expect([code, err]).toEqual([0, expect.anything()]);
    return new CloudDocument(centre);
  }

  /** The document in the working tree. */
  get text(): string {
    return readFileSync(join(this.centre.checkout, FILE), "utf8");
  }

  /** Commits and applies the edited document. The next plan has no change, and the request has the answer. */
  async applied(request: string, answer: "already allowed" | "already denied"): Promise<void> {
    const applied = await this.centre.push().run("reconcile cloud");
    expect([applied.code, applied.out, applied.err]).toEqual([0, expect.anything(), expect.anything()]);
    expect((await this.centre.run("plan cloud")).code).toBe(0);
    const again = await this.centre.run(request);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining(answer)]);
  }
}

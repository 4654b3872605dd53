import type { Approval, Resume } from "./pause.js";

/** The text that a person signs to approve a plan. It binds owner, target, plan and time. */
export function approvalText(owner: string, { target, digest, at }: Pick<Approval, "target" | "digest" | "at">): string {
  return `${JSON.stringify({ plumbline: "approve", owner, target, digest, at })}\n`;
}

/** The text that a person signs to end the pause of a target, or of all targets. */
export function resumeText(owner: string, { target, at }: Pick<Resume, "target" | "at">): string {
  return `${JSON.stringify({ plumbline: "resume", owner, target: target ?? "*", at })}\n`;
}

import type { Refusal } from "../plan/model.js";
import type { GuardContext } from "./context.js";

/** Refuses weakening changes if the repository requires approval. */
export function refuseMeaning({ input, allow, meaning }: GuardContext): Refusal[] {
  if (input.approve !== "required" || allow.has("meaning")) return [];
  return meaning.map(({ path, message }) => ({
    guard: "meaning",
    message: `${message} Approval is required.`,
    path,
    allow: "--allow meaning",
  }));
}

import type { Agent } from "./agent.js";

/** Interface of the agent for the code around it. A single agent and an agent with a shared store implement it. */
export type AgentLoop = Pick<Agent, "run" | "once" | "isIdle" | "fetchSoon" | "visitSoon" | "pausesSoon" | "rollout" | "unanswered">;

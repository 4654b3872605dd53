import type { Agent } from "./agent.js";

/** The agent of a store, or one of many: what everything around it needs of it. */
export type AgentLoop = Pick<Agent, "run" | "once" | "isIdle" | "fetchSoon" | "visitSoon" | "pausesSoon">;

import { serveInsight } from "../agent/insight-process.js";

// Entry point of the process that the agent forks for long computations. Not for users.
serveInsight();

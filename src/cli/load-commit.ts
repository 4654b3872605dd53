import { serveLoading } from "../agent/loading/serve.js";
import { kinds } from "../targets/registry.js";

// Entry point of the process that the agent forks for each commit. Not for users.
export const served: Promise<void> = serveLoading(kinds);

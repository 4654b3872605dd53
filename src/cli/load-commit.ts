import { serveLoading } from "../agent/loading/serve.js";
import { kinds } from "../targets/registry.js";

// What the agent forks for each commit; nobody calls it by hand.
export const served: Promise<void> = serveLoading(kinds);

import { serveInsight } from "../agent/insight-apart.js";

// What the agent forks for answers that take long; nobody calls it by hand.
serveInsight();

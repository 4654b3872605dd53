/** What a process of this program may be: a command, or what the agent forks for one answer. Each is loaded when it is one. */
export const processes = {
  command: async () => (await import("./program.js")).runCli,
  "load-commit": async () => {
    const { served } = await import("./load-commit.js");
    await served;
  },
  "work-out-insight": async () => {
    await import("./work-out-insight.js");
  },
};

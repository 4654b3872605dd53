/** True in a process that the agent forked for this task (docs/contributing/decisions.md#27-the-agent-loads-a-commit-in-a-separate-process). Users do not type these words. */
function isForkedTo(task: "load-commit" | "work-out-insight" | "answer-access", word: string | undefined): boolean {
  return word === task && process.send !== undefined;
}

const PROXIES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] as const;

/** Runs the task of a forked process, or a command. @returns the exit code */
export async function start(argv: readonly string[], stop: AbortSignal): Promise<number> {
  const [word] = argv;
  if (isForkedTo("load-commit", word)) {
    const { served } = await import("./load-commit.js");
    await served;
    return 0;
  }
  if (isForkedTo("work-out-insight", word)) {
    await import("./work-out-insight.js");
    return 0;
  }
  if (PROXIES.some((name) => (process.env[name] ?? "") !== "")) {
    const { useEnvironmentProxies } = await import("../core/environment-proxy.js");
    const problem = await useEnvironmentProxies(process.env).catch((error: Error) => error);
    if (problem !== undefined) {
      process.stderr.write(`error ${problem.message}\n`);
      return 1;
    }
  }
  if (isForkedTo("answer-access", word)) {
    const { served } = await import("./answer-access.js");
    await served;
    return 0;
  }
  const { runCli } = await import("./program.js");
  return await runCli(argv, {
    environment: process.env,
    folder: process.cwd(),
    stdin: () => process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => new Date(),
    stop,
  });
}

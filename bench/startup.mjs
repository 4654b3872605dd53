// What it costs to start: processor time (user and system) of whole processes, as multiples of `node -e 0` in the same round.
//   npm run build && node bench/startup.mjs [ROUNDS]
// PLUMBLINE_CLI is another build of the command, such as release/package/dist/cli.js.
// Needs bash, whose `time` counts milliseconds.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { command as cli, environment as env } from "./command.mjs";

const rounds = Number(process.argv[2] ?? 15);
const root = fileURLToPath(new URL("..", import.meta.url));

const commands = new Map([
  ["node -e 0", ["-e", "0"]],
  ["plumbline --version", [cli, "--version"]],
  ["plumbline --help", [cli, "--help"]],
  ["plumbline plan --help", [cli, "plan", "--help"]],
  ["plumbline validate", [cli, "validate"]],
]);

/** Milliseconds of processor time that one run takes. */
function processorTime(args) {
  const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@" >/dev/null 2>&1';
  const { stderr, status } = spawnSync("bash", ["-c", script, process.execPath, ...args], { cwd: root, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  const [user, system] = stderr.trim().split(" ").map(Number);
  return (user + system) * 1000;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const times = new Map([...commands.keys()].map((name) => [name, []]));
for (const args of commands.values()) processorTime(args);
for (let round = 0; round < rounds; round++) for (const [name, args] of commands) times.get(name).push(processorTime(args));

const base = times.get("node -e 0");
console.log(`Node ${process.versions.node}, ${rounds} rounds, medians`);
console.log("| command | processor | of `node -e 0`, least to most |\n|---|---|---|");
for (const [name, all] of times) {
  const ratios = all.map((time, round) => time / base[round]);
  const spread = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
  console.log(`| \`${name}\` | ${median(all).toFixed(0)} ms | ${median(ratios).toFixed(2)} (${spread}) |`);
}

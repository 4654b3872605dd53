import { type Command, Option } from "commander";
import { ASK_FORMATS, ASK_VIEWS } from "../choices.js";
import type { Define } from "../define.js";
import { collect } from "../options.js";

const REACH_HELP = `
Each option may stand more than once; what is left out is any. Addresses are literals or names of objects and groups.
  plumbline reach edge --from web --to db --source web-01 --destination 10.3.0.5 --service tcp/5432 --application postgres
With --as-sent one flow is followed, from one address to one address, as it is sent; --from may say by which zone it comes in.
  plumbline reach edge --as-sent --source 198.51.100.7 --destination 203.0.113.10 --service tcp/443
With --whole-path it is followed from this target on through all that it meets: groups, routers, firewalls.
  plumbline reach cloud --whole-path --source web-01 --destination cloud:db-01 --service tcp/5432
Exit codes: 0 answered, 1 error, 2 not as --expect says on each course, or not known to be.`;

const EXPECTED = ["arrives", "stopped"];

const LINT_HELP = `
A finding is a rule that matches nothing, that others above it leave nothing for, or without which the same flows pass;
with --unused also one that decided no session since then, where the target counted all the while.
Exit codes: 0 no findings, 2 findings, 1 error.`;

export const reach: Define = (program, lazily) => {
  const command = program
    .command("reach")
    .description("show which rules decide flows, and under which conditions; cannot write")
    .argument("<target>");
  const asked = [
    ["--from <zone>", "zone that they come from; of a cloud a group, port or server"],
    ["--to <zone>", "zone that they go to"],
    ["--source <address>", "address, network or name"],
    ["--destination <address>", "address, network or name"],
    ["--service <service>", "tcp/443, udp/53, icmp or a name"],
    ["--application <name>", "application or group"],
  ] as const;
  for (const [flag, words] of asked) command.option(flag, words, collect, []);
  command
    .addOption(new Option("--as-sent", "one flow as its sender sends it, before NAT: by routes, NAT and rules").conflicts("wholePath"))
    .option("--whole-path", "the same, from this target on through all that it meets")
    .option("--through <target>", "only this target beside; all when left out", collect, [])
    .addOption(
      new Option("--expect <end>", "of the whole path: ends with 2 where it is not so, or not known")
        .choices(EXPECTED)
        .implies({ wholePath: true }),
    );
  withAsking(command)
    .addHelpText("after", REACH_HELP)
    .action(lazily(async () => (await import("../commands/reach.js")).reach));
};

export const lint: Define = (program, lazily) => {
  const command = program
    .command("lint")
    .description("find rules that do nothing: never reached, or without effect; cannot write")
    .argument("[targets...]");
  withAsking(command)
    .option("--unused <since>", "also rules that decided no session for so long, by the target's counters: 90d, 12w")
    .addHelpText("after", LINT_HELP)
    .action(lazily(async () => (await import("../commands/reach.js")).lint));
};

function withAsking(command: Command): Command {
  return command
    .option("--scope <name>", "only this rulebase, for example vsys2")
    .addOption(new Option("--view <view>", "rules in force, or with what is not committed yet").choices(ASK_VIEWS).default("running"))
    .addOption(new Option("--format <format>", "how to print it").choices(ASK_FORMATS).default("text"));
}

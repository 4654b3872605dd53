import type { ErrorTexts } from "./texts.js";

/** Errors of runs, ledgers, locks and commands. */
export const runErrors: ErrorTexts = {
  "access-not-supported": {
    meaning: "`plumbline allow` designs rules of firewalls only. The target is of another kind.",
    next: "Name a firewall.",
  },
  "document-changed": {
    meaning: "A document was changed while `plumbline allow --write` designed its edit. No document was written.",
    next: "Run the command again.",
  },
  "document-not-written": {
    meaning: "A document cannot be written. The documents that the command wrote before get their former content back.",
    next: "Correct the cause in the message and run the command again. If the message names documents that were not restored, compare them with the last commit.",
  },
  "requests-invalid": {
    meaning: "The CSV file of `plumbline allow --requests` cannot be read, or a line or column is wrong.",
    next: "Correct the line. The first line names the columns `from`, `to`, `service` and `application`, and optionally `user`, `from-zone` and `to-zone`.",
  },
  "adopt-non-descendant": {
    meaning:
      "`plumbline adopt` runs at a commit that does not contain the last applied one: an older commit, another branch, or a clone without that commit. The commit would become the last applied one, and a run at it would restore former values. The ledger was not changed (exit code 3).",
    next: "Check out or fetch a commit that contains the last applied one, and adopt again. After a rewrite of history, `--allow non-descendant` records this commit.",
  },
  "allow-unknown": {
    meaning: "`--allow GUARD=VALUE` names a guard that does not exist or that no flag overrides.",
    next: "Copy the flag from the message of the refusal. Guards without a flag need a change of the repository or the target.",
  },
  "allow-value": {
    meaning:
      "`--allow GUARD=VALUE` has a value of the wrong form. Shares are percentages (`--allow deletes=45%`), counts are numbers from 1 (`--allow empty-list=2`), and `management`, `meaning` and `master-key` have no value.",
    next: "Copy the flag from the message of the refusal. It contains the smallest value that is enough.",
  },
  "approval-branch-invalid": {
    meaning:
      "The `plumbline.yaml` of the target branch decides whether a plan needs an approval and who may approve it, and it is not valid for this version.",
    next: "Correct the file on that branch or update Plumbline, fetch the branch, then run again.",
  },
  "approval-branch-unknown": {
    meaning:
      "The target has `approve: required`, and this clone does not know the target branch, whose `plumbline.yaml` decides who may approve. It is the default branch of the remote (`refs/remotes/origin/HEAD`), or the branch that its `agent.source.branch` names. Shallow clones and CI checkouts often lack it.",
    next: "Run `git remote set-branches origin '*'`, `git fetch origin` and `git remote set-head origin --auto`, then run again. If the branch has no `plumbline.yaml` yet, merge it first.",
  },
  "approval-required": {
    meaning:
      "The target has `approve: required`, and the plan has no approval. This applies to every run, and `--allow meaning` does not replace it. Approvals come from the agent's store or, signed by a person with the role `approve`, from git. The target branch decides both, so a commit cannot approve itself.",
    next: "Read `plumbline plan`, run `plumbline approve TARGET DIGEST` (with `--sign-key FILE` on another machine), then run again. A changed device or document needs a new approval.",
  },
  "approved-unreadable": {
    meaning:
      "The file of `PLUMBLINE_APPROVED` must be a YAML map outside the checkout, with an absolute path. A symbolic link or submodule is refused. Nothing was read.",
    next: "Correct the variable or the `references:` of the file. Remove the variable only if every author of a commit may read all secrets of this machine.",
  },
  "before-unknown": {
    meaning:
      "A commit of another run must be rolled back, but the configuration that was saved before it is missing on the device. Exit code 4.",
    next: "Find the commit on the device (its description begins with `plumbline`) and revert it manually, or accept the state with `plumbline adopt`. Then run again.",
  },
  "changed-since-commit": {
    meaning:
      "The commit succeeded, but another administrator changed the same values before they were read back. The message names the person, the paths and the time. This is drift, so the next run plans as usual. An agent's tries count towards `healLimit`.",
    next: "Run `plumbline drift`. If their change is right, add it to the desired state.",
  },
  "clock-behind": {
    meaning:
      "`plumbline pause --for` was refused: a commit of the repository is newer than the clock of this machine, so other runners could end the pause early.",
    next: "Correct the clock (NTP). Or omit `--for`, and end the pause with `plumbline resume`. If the commit date is wrong, find it with `git for-each-ref --sort=-committerdate --count=1`.",
  },
  "commit-failed": {
    meaning:
      "The commit job failed, or ended without running the changes. The message contains its lines. The candidate was restored, and the running configuration did not change.",
    next: "Change the desired state as the device reports; `plumbline explain XPATH` prints the file and line. Devices report only the first error. Some managers (11.0.4 to 11.1.3) commit nothing with partial commits; the next run tries again.",
  },
  "commit-stands": {
    meaning:
      "A check failed after the commit, and not everything could be rolled back (exit code 4): another administrator changed a node, or the device could not be written.",
    next: "Check the listed nodes and change the desired state. If the device could not be written, run again; the next run continues the rollback from any machine.",
  },
  "commit-taken-back": {
    meaning:
      "A check of a document (`watch:` or `probe:`) failed, or the run was stopped during it, so the changes of the commit were rolled back. Plumbline does not apply the same changes with the same checks again.",
    next: "Read the records in the report or with `plumbline logs`. Change the declarations or the check, and commit. `--allow refused-commit=SHA` tries the same commit once.",
  },
  "commit-unknown": {
    meaning:
      "The reply to a commit was lost, and the target cannot report its result. Plumbline neither reverts nor repeats it, and keeps its lock. Exit code 4.",
    next: "Run again when the target answers; the next run waits for the job and takes the lock over. If the job does not end, check `show jobs all`.",
  },
  "confirmation-missing": {
    meaning:
      "The command writes to targets and needs a confirmation, but it cannot ask: there is no terminal, or the output format leaves no place for the question. Nothing was written.",
    next: "Add `--yes`. To apply only a reviewed plan, run `plumbline plan --out plan.json` and later `plumbline apply plan.json`.",
  },
  "edit-mismatch": {
    meaning: "An `edit` would replace a node with another tag or name.",
    next: "Use `rename`, or delete the node and set the other one.",
  },
  "fingerprint-key-malformed": {
    meaning: "`fingerprint.key` in the state folder is not a key of 64 hexadecimal digits.",
    next: "Restore it from a backup. Or remove it: a new key is created, and each stored secret is `unknown-secret` until you write it again with `--rotate`.",
  },
  "fingerprint-key-missing": {
    meaning:
      "Several agents share a store and manage secrets, but `plumbline.yaml` has no `fingerprintKey`. Each agent would write the secrets again. The commit was refused.",
    next: 'Create a key with `openssl rand -hex 32`, give it to every agent, and set `fingerprintKey: "${env:PLUMBLINE_FINGERPRINT_KEY}"`.',
  },
  "flow-not-understood": {
    meaning:
      "A zone, address, service or application of `plumbline reach` is neither a name of the rulebase nor a literal. Services are `tcp/443`, `udp/53,5353`, `icmp` or a name.",
    next: "Correct the spelling, and check that the virtual system can see the object.",
  },
  "format-left-alone": {
    meaning:
      "`plumbline fmt` does not change a file: it is not YAML or UTF-8, formatting would change its meaning or lose a comment, or it was saved in the meantime. Exit code 1.",
    next: "Run `plumbline validate` to find the line, or run `plumbline fmt` again.",
  },
  "import-existing-document": {
    meaning:
      "`plumbline import` cannot update a file in the folder: it is not YAML, its place is unknown, or it belongs to another target. Nothing was written.",
    next: "Correct the file (`plumbline validate`), or import into an empty folder.",
  },
  "import-not-a-configuration": {
    meaning: "The root element of the file is not `<config>` or a reply that contains it, or the file is a template.",
    next: "Export the running configuration as XML, or the saved named snapshot.",
  },
  "import-unreadable": {
    meaning: "The file of `plumbline import --xml` cannot be read.",
    next: "Check its name and permissions.",
  },
  "init-not-committed": {
    meaning: "`plumbline init` wrote its files, but git did not commit them: a hook, a merge, or a signature prevented it.",
    next: "Fix what git reports, then `git add` and `git commit` the files.",
  },
  "backup-refused": {
    meaning: "`plumbline backup` writes only to a new or empty folder, so that two backups are never mixed.",
    next: "Name another folder with --out.",
  },
  "schema-outdated": {
    meaning:
      "A schema for editors in `schemas/` next to `plumbline.yaml` was written by another version, so it offers other fields than this one.",
    next: "Run `plumbline schema` and commit the files.",
  },
  "init-refused": {
    meaning:
      "`plumbline init` overwrites nothing. A file or a `plumbline.yaml` exists, or git is missing or has no author. Nothing was written.",
    next: "Use an empty folder or move the file of the message. For another target, add it to `plumbline.yaml` and run `plumbline import TARGET --out FOLDER`. Set `git config --global user.name` and `user.email`.",
  },
  interrupted: {
    meaning: "The run was stopped (SIGINT or SIGTERM). Uncommitted changes were reverted, and the lock was removed.",
    next: "Run again.",
  },
  "job-not-ended": {
    meaning: "A commit or validation did not end within an hour. It may still end on the device.",
    next: "Check `show jobs id NUMBER`. When the job has ended, run again.",
  },
  "job-outcome-unknown": {
    meaning:
      "The device accepted a commit or validation, but could not report its result for some minutes. Restarting management planes lose their jobs.",
    next: "Check `show jobs id NUMBER`, then run again. Plumbline first compares the running configuration.",
  },
  "late-write": {
    meaning:
      "After the commit the target differs, but not through this commit or another known administrator: a late request of a killed run arrived, or another object changed. The commit is not blocked, and an agent writes again after a minute.",
    next: "With an agent, do nothing. Otherwise run again. If it repeats, find out why runs are killed or suspended (`plumbline history --target NAME`).",
  },
  "lease-lost": {
    meaning:
      "The lease of this run ended before its renewal, or another run took it over: the process was suspended, or the database or git did not answer. It wrote nothing more.",
    next: "Usually nothing. If it repeats, look for an overloaded host, a paused virtual machine or a slow network. A longer `agent.lease` (30 s) or `takeoverAfter` (15 minutes) tolerates longer pauses.",
  },
  "ledger-conflict": {
    meaning: "Another run wrote the ledger after this one had read it. The run stopped before it wrote to the target.",
    next: "Run again. If it repeats, two pipelines reconcile one target: give each its own paths or `owner`.",
  },
  "ledger-exists": {
    meaning: "A ledger cannot be moved, because the new target, owner or place has a ledger with other objects.",
    next: "If the new name manages objects, keep its ledger and run `plumbline adopt TARGET`. If not, run `plumbline ledger forget TARGET` and move again. The objects stay on the target.",
  },
  "ledger-missing": {
    meaning: "`plumbline ledger` was used with a ledger that does not exist or is empty.",
    next: "List the ledgers: `plumbline ledger list`, with `--owner NAME` for another owner.",
  },
  "ledger-newer": {
    meaning: "A later version of Plumbline wrote the ledger. Plans report deletions as unknown, and nothing is written.",
    next: "Upgrade this machine to the same version. Do not adopt and do not remove the ledger.",
  },
  "ledger-unreadable": {
    meaning:
      "The ledger cannot be read: the remote does not answer, or the file is damaged. A plan contains no deletions, and nothing is written.",
    next: "Make the git ref, file or URL in the message readable. If it is lost, `plumbline adopt TARGET` writes a new one; objects that only the old one contained are never deleted.",
  },
  "ledger-unwritable": {
    meaning: "The ledger could not be stored. It is written before the first change, so the target was not changed if this came first.",
    next: "Let the account push `refs/plumbline/*`. A single agent can use `ledger: store`. Or use `--ledger FILE` or `--ledger URL` (with ETag and `If-Match`).",
  },
  "locked-by-run": {
    meaning: "Another run with the same owner holds the lock of the target, or its lease if the target has no lock. The message names it.",
    next: "Wait, or pass `--lock-timeout S`. A lock or lease of a process that ended on this host is taken over immediately, otherwise after `takeoverAfter` (15 minutes). A machine with an empty disk must observe a lease that long: `--lock-timeout 1000`. `--takeover` takes it now.",
  },
  "match-list-empty": {
    meaning: "An operation would leave a match list of a rule without members, which means `any`.",
    next: "Declare a member, or `any`. If Plumbline planned it, report a bug.",
  },
  "memory-file-unreadable": {
    meaning: "The XML file of a memory target does not exist, cannot be read, is not a regular file, or is larger than 256 MiB.",
    next: "Create it with a root element (`<config/>`), correct its permissions or `file:` of the target. The file must be inside the folder of `plumbline.yaml`.",
  },
  "node-exists": {
    meaning: "A rename or copy would create a second entry of the same name.",
    next: "Plan again if another administrator created the entry, or choose another name.",
  },
  "node-not-found": {
    meaning: "The node, the anchor of a move, or the root of a path does not exist.",
    next: "Plan again. Compare a path of your own with `plumbline explain`.",
  },
  "node-not-movable": {
    meaning: "An entry cannot be moved before or after itself.",
    next: "Name another anchor. If Plumbline planned it, report a bug.",
  },
  "not-converging": {
    meaning:
      "After the commit the target stores something else than was sent, in the listed paths. The same operations are not sent again until the desired state changes.",
    next: "Write the value that `plumbline plan` shows, or put the path under `ignore:`. `--allow not-converging` tries once more.",
  },
  "notices-unreadable": {
    meaning:
      "Pauses and approvals, which are next to the ledgers, cannot be read. A run that would write is refused. An agent tries again each minute.",
    next: "Make the git remote, file or URL of `--ledger` readable. A notice of a newer version needs that version.",
  },
  "notices-unwritable": {
    meaning:
      "A pause or approval cannot be stored next to the ledgers, so other runners would not see it. It may be in the store of this machine.",
    next: "Let the account push `refs/plumbline/*`, or write the file or URL of `--ledger`. In a hurry, put a file `pause/TARGET` or `pause/all` into the agent's state folder.",
  },
  "option-invalid": {
    meaning: "A flag has an invalid value.",
    next: "Read the next line of the message, or `plumbline COMMAND --help`.",
  },
  "origin-not-approved": {
    meaning:
      "The run uses an unapproved commit, and the approved `plumbline.yaml` (`PLUMBLINE_APPROVED`) does not permit this credential at this address. Nothing was sent.",
    next: 'Merge the address first: `credentials: { "env:FW_PASSWORD": ["https://192.0.2.10"] }`. Or set `PLUMBLINE_TARGET_<NAME>_URL`. Endpoints of a cloud and a controller with `auth: { from: … }` also need it.',
  },
  "origin-not-pinned": {
    meaning:
      "`PLUMBLINE_TARGET_<NAME>_URL` or `_CLOUD` pins a target, but `plumbline.yaml` names another address that would receive its login: a peer, an endpoint or a controller. Nothing was sent.",
    next: "Add the address to `PLUMBLINE_TARGET_<NAME>_PEERS`, list it in `credentials:` of the approved configuration ([pull requests](pull-requests.md#pull-requests-from-forks)), or delete it.",
  },
  "partly-applied": {
    meaning: "Several commits were needed, and one failed after others had succeeded (exit code 4). The message contains the cause.",
    next: "Fix the cause and run again. The next run plans what is missing.",
  },
  "pause-ended": {
    meaning: "`plumbline pause` waited for running writes, and the pause ended in the meantime: it was resumed, or `--for` was too short.",
    next: "Check `plumbline history`. Run the command again, with a longer `--for` if needed.",
  },
  paused: {
    meaning: "The target is paused. No runner writes to it; drift is still reported.",
    next: "Read the reason and contact the person in the message. `plumbline resume TARGET` (or `--all`) ends it. For a file in the state folder (`pause/TARGET`), delete the file.",
  },
  "plan-file-invalid": {
    meaning: "The file for `plumbline apply` was not written by `plumbline plan --out`.",
    next: "Run `plumbline plan --out plan.json`, review it, then `plumbline apply plan.json`.",
  },
  "plan-moved": {
    meaning: "`plumbline apply` planned again, and the plan differs from the file: other operations, or a changed target.",
    next: "Run `plumbline plan --out plan.json` again, let it be reviewed, and apply it.",
  },
  "plan-refused": {
    meaning: "A guard blocks the plan. The message names the guard and the place ([guards](guards.md)).",
    next: "Check `plumbline plan`. If it is intended, pass the flag of the message once. For guard `targets` use waves (`agent.rollout`) or `--allow targets=N`. Limits are in `guards:` of `plumbline.yaml`.",
  },
  "reference-unresolved": {
    meaning:
      "An operation would leave a reference to an object that does not exist in that scope. Only the memory target reports it; firewalls use codes 10 and 12.",
    next: "Declare the object in the scope or in `shared`, or remove the reference. If Plumbline planned it, report a bug.",
  },
  "rename-impossible": {
    meaning:
      "An entry has `$was`, and the target cannot rename. The entry would be recreated and lose values that only the target has (`${keep}`, a stored secret, an ignored part).",
    next: "Rename it on the target and remove `$was`, or write the secrets as references.",
  },
  "rollback-conflict": {
    meaning: "`plumbline rollback` cannot revert the commit, because later commits changed the same lines. Nothing was changed.",
    next: "Revert those commits first, the newest first, or edit the files manually.",
  },
  "rollback-failed": {
    meaning:
      "A git command failed during `plumbline rollback`. Nothing was changed, except if the message reports that the revert was pushed.",
    next: "Set `user.name` and `user.email` if the author is unknown. Run `git pull --rebase` if the remote is newer. If a hook or protected branch refuses, run without `--push` and open a pull request.",
  },
  "rollback-not-possible": {
    meaning: "`plumbline rollback` needs a clean checkout of the agent's branch that contains the commit. Nothing was changed.",
    next: "Commit or stash changes, `git fetch` and check out the branch, or `git fetch --unshallow`. If the state does not load without the commit, revert later commits first.",
  },
  "rulebase-unknown": {
    meaning: "`--scope` names no rulebase of the target.",
    next: "Use a name that the message lists, such as `vsys1` or `device-group/branch`, or omit `--scope`.",
  },
  "rules-not-read": {
    meaning: "Plumbline cannot evaluate the rules of this kind of target.",
    next: "Name a supported target: `plumbline reach TARGET`.",
  },
  "still-writing": {
    meaning:
      "The pause is active, so no run starts to write. A run that started before still holds the lock or lease, and its commit may follow.",
    next: "Run the same command again to wait, or stop that run. A lease of a killed run ends after `takeoverAfter` (`--wait 17m`). `plumbline status TARGET` shows it.",
  },
  "system-refused": {
    meaning: "The operating system refused to read or write a file. The message contains its text and the path.",
    next: "Check owner, permissions and free space. For the state folder, `--state` or `PLUMBLINE_STATE_DIR` names another one. The next run finishes an interrupted one.",
  },
  "target-keeps-changing": {
    meaning: "The target changed several times between the plan and the check before the first write.",
    next: "Find out who writes (`plumbline drift`), and run again later.",
  },
  "target-unknown": {
    meaning: "`--target`, `target:`, `${target:path}` or `in:` of `$forEach` names a target that `plumbline.yaml` does not have.",
    next: "Use a name that the message lists.",
  },
  unexpected: {
    meaning:
      "An error that Plumbline does not handle, caused by a bug or the environment. The run treats it like a lost reply and reverts uncommitted changes.",
    next: "Run again with `--log-level debug`, and report a bug. Logs contain no secrets.",
  },
  "validation-failed": {
    meaning: "The validation of the target refuses the candidate. Nothing was committed, and the candidate was restored.",
    next: "Change the desired state as the device reports. Devices check required fields and choices only here.",
  },
  "value-not-writable": {
    meaning: "A write contained a kept secret (`${keep}`) or an unknown reference. Nothing was sent.",
    next: "Plan again. If it persists, report a bug.",
  },
  "watch-decided": {
    meaning: "Two runs decided on one watched commit. The first decision in the ledger counts, and this run was second.",
    next: "Run again. If the commit was rolled back, change the desired state. Use one agent for a target, or schedules that do not overlap.",
  },
  "watch-open": {
    meaning: "Another run on this machine watches its commit until the window of `watch:` ends. Nothing else is written to the target.",
    next: "Wait. `--takeover` decides instead: immediately if a check has failed, otherwise at the end of the window.",
  },
  "watch-unproven": {
    meaning:
      "The ledger contains an open check of a commit, but its checks are in no accepted commit, or its saved configuration cannot be from a run. Plumbline does not act on it.",
    next: "Find the author: `git fetch origin 'refs/plumbline/*:refs/plumbline/*'`, then `git log refs/plumbline/OWNER/TARGET`. If the target is as expected, run `plumbline adopt TARGET`. If the check is real, revert its commit with `plumbline rollback`.",
  },
  "watch-unreadable": {
    meaning: "A log of `watch:` could not be read before the first write. Nothing was written.",
    next: "Try `plumbline logs TARGET --type TYPE --query FILTER`. Check the filter and the right to read logs.",
  },
  "window-invalid": {
    meaning: "A window of `agent.windows` has a wrong cron expression or time zone. The commit is refused.",
    next: "Write five fields: minute, hour, day of month, month, day of week (`0 22 * * 1-5`), a zone such as `Europe/Budapest`, and `for:` with the duration.",
  },
  "window-shut": {
    meaning: "`agent.windows` does not permit writes now. Windows bind agents and manual runs.",
    next: "Run again in the window that the message names. `--allow window` writes once, and each report of the run shows it.",
  },
};

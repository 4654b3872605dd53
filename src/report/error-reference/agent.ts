import type { ErrorTexts } from "./texts.js";

/** Errors of the agent, its store and page, code hosts, the lab and the verdict service. */
export const agentErrors: ErrorTexts = {
  "access-not-answered": {
    meaning:
      "The process that answers an access request of the page took longer than two minutes, needed more than 2 GiB of memory, or was killed. No pull request was opened for this answer.",
    next: "Try again. `plumbline allow` answers the same request without limits.",
  },
  "agent-port-taken": {
    meaning:
      "The agent cannot listen on its address (default 127.0.0.1:9464): another process uses the port, or the address is not of this machine.",
    next: "Find the process with `ss -ltnp`, often another agent. Or set `agent.http.port` and `host`, or `--port` and `--host`. Port 0 takes a free one.",
  },
  "agent-source-missing": {
    meaning:
      "`plumbline agent` found no `plumbline.yaml` in a git repository, and no repository was named. The agent applies commits only.",
    next: "Run it in a checkout with a `plumbline.yaml`, or use `--source ADDRESS` or `agent.source.url`.",
  },
  "code-host-forbidden": {
    meaning: "The token has too few rights at the code host, or the pull request is from a fork.",
    next: "Give it the right to write pull requests, and contents for `drift --propose`: `pull-requests: write` (GitHub), scope `api` and role Developer (GitLab), `write:issue`, `write:repository` and `read:user` (Gitea). For forks see [pull requests](pull-requests.md).",
  },
  "code-host-not-found": {
    meaning: "The code host does not find the repository or pull request, or the token may not see it.",
    next: "Check `--repo`, `--pr` and `--api`, then the rights of the token.",
  },
  "code-host-rate-limited": {
    meaning: "The code host limits requests and demands a wait of more than two minutes.",
    next: "Run again later, or use a separate token for Plumbline.",
  },
  "code-host-refused": {
    meaning:
      "The code host refuses the request. The message contains its answer; often the text is too long, the branch is gone, or the repository has moved.",
    next: "Correct what it reports. After a move, set `--repo` or `PLUMBLINE_REPOSITORY`.",
  },
  "code-host-reply": {
    meaning: "The reply is not from the API of a code host. Usually the address leads to its web pages.",
    next: "Check `--api` or `PLUMBLINE_API_URL`. It ends in `/api/v3`, `/api/v4` or `/api/v1`.",
  },
  "code-host-token-missing": {
    meaning: "The environment has no token for the code host. There is no flag, because process lists show flags.",
    next: "Set `PLUMBLINE_TOKEN`, `GITHUB_TOKEN`, `GITLAB_TOKEN` or `GITEA_TOKEN` ([rights](pull-requests.md)).",
  },
  "code-host-token-refused": {
    meaning: "The code host does not accept the token: it is wrong, expired or from another host.",
    next: "Create a new token on this host, and check `--api` or `PLUMBLINE_API_URL`.",
  },
  "code-host-unavailable": {
    meaning:
      "The code host does not answer or has a failure. Requests that can be repeated were tried four times. The next run checks first, so nothing is created twice.",
    next: "Run again later. Check `--api`, the network, and `NODE_EXTRA_CA_CERTS` for a private authority.",
  },
  "code-host-unknown": {
    meaning: "The code host is not named or not known.",
    next: "Set `--host github`, `gitlab` or `gitea` (also Forgejo), or `PLUMBLINE_HOST`. CI systems set it themselves.",
  },
  "code-host-url": {
    meaning: "The API address of the code host is missing or is not `https://host/path` without user name and password.",
    next: "Set `--api` or `PLUMBLINE_API_URL`: `https://api.github.com`, `https://HOST/api/v3` (GitHub Enterprise), `/api/v4` (GitLab), `/api/v1` (Gitea, Forgejo).",
  },
  "comment-empty": {
    meaning: "There is no text for the comment, so `plumbline plan --format markdown` did not run.",
    next: "Check the earlier steps of the job, and pass the file of the plan.",
  },
  "comment-name": {
    meaning: "The `--name` of a comment has characters that an HTML comment cannot contain.",
    next: "Use up to 64 letters, digits, dots, underscores and single hyphens.",
  },
  "comment-too-long": {
    meaning: "The text is longer than the code host accepts (GitHub 65,536 characters, GitLab 1,000,000).",
    next: "Use the output of `plumbline plan --format markdown`, which has at most 60,000 characters.",
  },
  "comment-unreadable": {
    meaning: "The file of `--file` cannot be read.",
    next: "Name the file that `plumbline plan --format markdown` wrote, or pipe the text.",
  },
  "commit-ancestor-missing": {
    meaning:
      "The newest commit of the branch does not follow the commit of `agent.source.ancestor`. It was refused, and the last good commit stays active.",
    next: "Push the commit to the right branch. If the branch was recreated, correct `agent.source.ancestor` (`git rev-parse COMMIT`).",
  },
  "commit-load-broke": {
    meaning:
      "The process that loads a commit was killed, for example because the system ran out of memory. The active commit stays, and the next fetch tries again.",
    next: "Check the system log. Give the machine more memory, or lower `agent.source.loadMemory` to refuse the commit. After `exit` with a number, run `plumbline validate` in a checkout.",
  },
  "commit-rewound": {
    meaning:
      "The branch was moved to a commit that does not follow the active one, for example with `--force`. The commit was refused, also after a restart.",
    next: "Find out who moved it, and push the active commit back. To go back, push a revert (`git revert`, `plumbline rollback`). If the history was rewritten on purpose, start the agent once with `agent.source.allowRewind: true`. A shallow clone may lack the active commit.",
  },
  "commit-signature-refused": {
    meaning:
      "The signature of the newest commit is bad, of the wrong kind, of an unknown signer, or its key is expired or revoked. The last good commit stays active, and each fetch checks again.",
    next: "Let a trusted person sign the commit or its merge, or add the key to `allowedSigners` or `keyring`. Make these files readable for the agent, and install GnuPG or OpenSSH.",
  },
  "commit-too-heavy": {
    meaning:
      "Loading the commit exceeded `agent.source.loadTime`, `agent.source.loadMemory`, or `agent.source.visitLoadTime`. It was refused and is not tried again until the branch moves.",
    next: "Look for a very large document, an unrelated folder in `documents:`, or nested `$forEach`. Push a smaller commit, or raise the limit and restart the agent.",
  },
  "commit-unsigned": {
    meaning:
      "`agent.source.signatures` requires signed commits, and the newest commit has no signature. The last good commit stays active.",
    next: "Sign it (`git commit --amend -S`) or let the code host sign merges. For a tag, `git tag -s -f v1` and push it with `--force`. Add the key of the code host if you trust it.",
  },
  "hash-file-unreadable": {
    meaning: "A file of `--path`, `--list` or `--key-file` cannot be read.",
    next: "Check the path and permissions. `--path` takes files, not folders.",
  },
  "hash-invalid": {
    meaning: "A value is not a hash. MD5 has 32 hexadecimal digits, SHA-256 has 64.",
    next: "Correct it, or use `--path` to compute the hash of a file. Each line of `--list` starts with a hash, as in the output of `sha256sum`.",
  },
  "hashes-missing": {
    meaning: "`plumbline verdict` received no hash.",
    next: "Pass hashes, `--list FILE` or `--path FILE...`. If the list is empty, check what wrote it.",
  },
  "insight-not-worked-out": {
    meaning:
      "The process that evaluates the rules of a large rulebase was killed or took longer than ten minutes. Reachability is unknown, and a plan with assertions is refused. The next pass tries again.",
    next: "Check the system log and give the machine more memory: up to 2 GiB, about 200 MB for 10,000 rules. `plumbline plan` has no time limit.",
  },
  "lab-config-invalid": {
    meaning: "The file is not a complete running configuration with root element `<config>`, or the lab has no device.",
    next: "Export the running configuration, and pass it with `plumbline lab --from FILE`.",
  },
  "lab-flow-invalid": {
    meaning: "A flow of `plumbline lab --flows FILE` is invalid.",
    next: 'Write a JSON list of objects with `from`, `to`, `source`, `destination`, `application` and `port`. Optional: `user`, `protocol` (`tcp` or `udp`), `every` (milliseconds) and `threat` (`{ "id": …, "severity": … }`).',
  },
  "lab-port-taken": {
    meaning:
      "`plumbline lab` cannot listen on a port. By default it uses the ports of the real services (5000, 9696, 8774, 9292, 8776, 8082).",
    next: "Stop the process that uses the port (`ss -ltnp`), or use `--port 0`; the ready file lists the ports.",
  },
  "lfs-pointer": {
    meaning: "Git LFS manages the file, and the checkout contains only its pointer. The agent does not run LFS.",
    next: "Store documents and `plumbline.yaml` in git: remove their pattern from `.gitattributes`, run `git add --renormalize .` and commit.",
  },
  "no-commit-in-force": {
    meaning: "The agent runs but has accepted no commit yet, because the repository cannot be fetched or its commit was refused.",
    next: "Read the earlier errors in `plumbline history` or the log.",
  },
  "notification-not-sent": {
    meaning:
      "A channel of `agent.notify` did not accept a notification. It is tried again after 5 seconds and at most every 15 minutes. Passes do not wait for it.",
    next: "Check the host and its answer in the message: 401, 403 or 404 (address or token), `ECONNREFUSED` (nothing listens), `EAUTH` (mail login). Changed files and commands are read again; a variable needs a restart. See [notifications](notifications.md).",
  },
  "page-not-built": {
    meaning: "The files of the page (`dist/web/assets`) are missing.",
    next: "In a checkout run `npm run build`. Otherwise install the package again.",
  },
  "page-people-invalid": {
    meaning:
      "The settings in `agent.page` are contradictory or incomplete: duplicate tokens, `rights:` without `tokens:` or `oidc:` or the reverse, visitors with more than read rights, an invalid pattern, or `oidc:` without an `https://` address. The agent does not start.",
    next: "Correct `agent.page` ([page](page.md#who-may-do-what)) and start again.",
  },
  "page-provider-unavailable": {
    meaning:
      "The OpenID Connect provider (`agent.page.oidc.issuer`) does not answer, so new sign-ins are not possible. Existing sessions stay.",
    next: "Run `curl ISSUER/.well-known/openid-configuration` on the agent's machine; its `issuer` must equal the setting. Set `NODE_EXTRA_CA_CERTS` for a private authority. A page token or `plumbline pause` needs no provider.",
  },
  "page-sign-in-refused": {
    meaning:
      "A sign-in was refused: begun in another browser or more than 15 minutes ago, used twice, refused by the provider, wrongly signed, or its `nameClaim` is missing, empty, too long (100) or contains white space at an end or control characters. The log has the reason.",
    next: "Sign in again with cookies, at `agent.page.address`. Correct the account, or set `nameClaim`. If everyone fails, check `clientId`, `clientSecret`, the redirect URI (`ADDRESS/login/callback`) and the clocks.",
  },
  "page-token-short": {
    meaning: "A token of the page has fewer than 16 characters and could be guessed.",
    next: "Create one with `openssl rand -hex 24`, and store it where the reference reads it.",
  },
  "proposal-not-committed": {
    meaning: "git refused to create the branch or commit of a proposal. Nothing was pushed, and the checkout is unchanged.",
    next: "Make `.git` writable for the user. `git worktree` needs git 2.17.",
  },
  "proposal-not-possible": {
    meaning: "`plumbline drift --propose` needs a commit without uncommitted changes and, unless `--no-push`, a remote.",
    next: "Run it in a clean clone, or use `--no-push` without a remote.",
  },
  "proposal-not-pushed": {
    meaning: "git cannot push the branch of a proposal. No pull request was opened.",
    next: "Give git the right to push (CI: `contents: write` and a checkout with credentials), or use `--no-push`. If the branch moved, run again.",
  },
  "pull-request-unknown": {
    meaning: "No pull request is named, or the value is not a number.",
    next: "Run the job for pull requests, or set `--pr N` or `PLUMBLINE_PULL_REQUEST`.",
  },
  "repository-unknown": {
    meaning: "No repository is named, or the name is not `owner/name`.",
    next: "Set `--repo owner/name` or `PLUMBLINE_REPOSITORY`. GitLab also accepts `group/subgroup/name` and the project number.",
  },
  "source-clone-damaged": {
    meaning:
      "The agent's clone (`agent/source/…` in the state folder) is damaged. The agent replaces it, at most once in 15 minutes, and keeps the active commit.",
    next: "Nothing if it happens once. Otherwise check the disk and other writers of the state folder. If the repository itself is damaged (`git fsck`), repair it.",
  },
  "source-clone-failed": {
    meaning: "A git command failed in the agent's clone: the disk is full, or the folder belongs to another user. The active commit stays.",
    next: "Free space, and give the state folder to the agent's user. You can delete the clone while the agent is stopped.",
  },
  "source-password-in-url": {
    meaning: "The address of the repository contains a password. git would print and store it.",
    next: "Remove it from the address, set `agent.source.password` (`${env:GIT_TOKEN}`) or `PLUMBLINE_GIT_PASSWORD`, and change the password if it was in git.",
  },
  "source-password-malformed": {
    meaning: "The password for the repository contains a line break, so the reference reads more than the token.",
    next: "Check `agent.source.password` or `PLUMBLINE_GIT_PASSWORD`.",
  },
  "source-ref-missing": {
    meaning: "The repository has no branch or tag of the name in `agent.source.branch` or `tag`. The active commit stays.",
    next: "Check `git ls-remote ADDRESS`, and correct the setting or push the branch.",
  },
  "source-unreachable": {
    meaning: "The repository cannot be fetched. The active commit stays, drift is reported and healed, and the next fetch tries again.",
    next: "Run `git ls-remote ADDRESS` as the agent's user. Check the key, `known_hosts`, the token, the proxy, and the certificate (`GIT_SSL_CAINFO`). The login is sent only to the server of `agent.source.url`, not after a redirect.",
  },
  "sqlite-not-loaded": {
    meaning: "The native part of SQLite for this platform is missing, so a single agent has no store. Other commands work.",
    next: "Install the package of a release instead of the single file: `npm install --global plumbline-network-VERSION.tgz` (the npm package `plumbline` is another project). Install again without `--omit=optional`. Or use `store: postgres://…` ([many machines](many-machines.md)).",
  },
  "store-busy": {
    meaning:
      "Another process has locked the store for more than five seconds, for example a stopped process, a backup, or a network share.",
    next: "Find it with `fuser -v plumbline.db`. Keep the file on a local disk, and back it up with `plumbline backup`.",
  },
  "store-claimed": {
    meaning: "Another agent uses this store. The message names its machine, process and start. There is no lock file to delete.",
    next: "Stop the other agent, or use another store (`--state DIR`, `store:`). Several agents can share PostgreSQL ([many machines](many-machines.md)).",
  },
  "store-damaged": {
    meaning: "The store is not a readable database: a wrong file, or a damaged one.",
    next: "Stop the agent and restore a copy of `plumbline.db`, or move it away with its `-wal` and `-shm`. The new store has no history, pauses and approvals. If the ledger was in it, run `plumbline adopt`.",
  },
  "store-full": {
    meaning: "The disk or database of the store is full. Drift is reported, but nothing is applied, because a write needs a record.",
    next: "Free space; the agent continues. Or keep less [history](history.md).",
  },
  "store-location": {
    meaning: "The value of `store:` is not an address of a store.",
    next: "Write `sqlite:PATH` or `postgres://USER:${env:DATABASE_PASSWORD}@HOST/DATABASE?sslmode=verify-full`. In a complete address (`PLUMBLINE_STORE`), percent-encode the password (`@` as `%40`). Check the value of a reference.",
  },
  "store-missing": {
    meaning: "There is no store at this place. The agent creates it; read-only commands do not.",
    next: "Start `plumbline agent`, or name the agent's state folder (`--state`, `PLUMBLINE_STATE_DIR`), or the file with `store:` (`--config`).",
  },
  "store-newer": {
    meaning: "A newer version of Plumbline upgraded the store. Older versions do not open it, and an older agent that runs ends.",
    next: "Use that version or a later one. To go back, stop the agent and restore the copy from before the upgrade.",
  },
  "store-older": {
    meaning: "An older version created the store, and no agent of this version has upgraded it. Read-only commands do not upgrade.",
    next: "Start the agent of this version, or use the older version.",
  },
  "store-unreachable": {
    meaning:
      "The PostgreSQL database of `store:` does not answer or refuses the user. The agent reports drift, applies nothing, and tries again with each pass.",
    next: 'Try `psql ADDRESS -c "select 1"`. Check the text after the colon and the reference of the password.',
  },
  "store-unwritable": {
    meaning: "The store or its folder cannot be written. SQLite also writes files next to it (`-wal`, `-shm`, `-agent`).",
    next: "Give the folder to the agent's account, check for a read-only file system, or use `--state DIR` or `store:`.",
  },
  "trace-settings-invalid": {
    meaning: "An `OTEL_…` variable is invalid, so the agent does not start.",
    next: "Set `OTEL_EXPORTER_OTLP_ENDPOINT` to a collector with OTLP over HTTP and JSON (such as `http://127.0.0.1:4318`), and keys in `OTEL_EXPORTER_OTLP_HEADERS` (`name=value`). gRPC (4317) is not supported. See [metrics](metrics.md).",
  },
  "verdict-allotment-spent": {
    meaning:
      "The rest of the daily quota of verdict queries is too small for the request. Nothing was sent. Up to 500 hashes count as one query; cached verdicts are free.",
    next: "Wait for the reset at 23:59 UTC, send fewer hashes, or set the quota of the account with `--allotment` or `PLUMBLINE_VERDICT_ALLOTMENT` (default 1,050).",
  },
  "verdict-forbidden": {
    meaning: "The verdict service knows the key but does not permit the query (HTTP 403).",
    next: "Check in the account's portal if the key may query verdicts.",
  },
  "verdict-http-status": {
    meaning: "The server answered with a status that the verdict service does not use, such as a redirect. Redirects are not followed.",
    next: "Check the address and proxies.",
  },
  "verdict-key-missing": {
    meaning: "There is no API key for the verdict service. The key of a firewall is not valid.",
    next: "Set `PLUMBLINE_VERDICT_KEY` or `--key-file`. The lab prints its key at the start.",
  },
  "verdict-key-refused": {
    meaning: "The verdict service refuses the API key (HTTP 401).",
    next: "Check `PLUMBLINE_VERDICT_KEY` or `--key-file`. Create a new key in the account's portal if it was revoked.",
  },
  "verdict-reply-broken": {
    meaning: "The reply of the verdict service is truncated, endless or not XML.",
    next: "Run again. If it persists, look for a proxy.",
  },
  "verdict-reply-not-understood": {
    meaning: "The reply is XML but not a list of verdicts.",
    next: "Check that the address is the verdict service.",
  },
  "verdict-request-refused": {
    meaning: "The verdict service refuses the request (HTTP 413, 418, 420, 421 or 422). Its API may have changed.",
    next: "Report a bug with the text of the message.",
  },
  "verdict-service-failed": {
    meaning: "The verdict service failed three times (HTTP 429, or 500 and more). Unknown files are not treated as benign.",
    next: "Run again later. Received verdicts are kept.",
  },
  "verdict-service-not-there": {
    meaning: "The server has no verdict query at this address (HTTP 404 or 405).",
    next: "Correct `PLUMBLINE_VERDICT_URL` or `--url`. The address ends before `/publicapi`.",
  },
  "verdict-service-unavailable": {
    meaning: "The verdict service did not answer three times. A request that may have arrived counts against the quota.",
    next: "Check the address and network, raise `--timeout`, and run again. Received verdicts are kept.",
  },
  "verdict-url-invalid": {
    meaning: "The address of the verdict service is not `https://` or `http://`, or contains a user name or password.",
    next: "Set `PLUMBLINE_VERDICT_URL` or `--url` to `https://host` or `https://host:port`, without `/publicapi`.",
  },
  "verdict-url-missing": {
    meaning: "No verdict service is named. Hashes reveal your files, so there is no default.",
    next: "Set `PLUMBLINE_VERDICT_URL` or `--url`, for example `https://127.0.0.1:8444` for `plumbline lab --services verdict`.",
  },
};

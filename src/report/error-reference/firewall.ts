import type { ErrorTexts } from "./texts.js";

/** Errors of firewalls, managers and connections. */
export const firewallErrors: ErrorTexts = {
  "address-in-the-clear": {
    meaning:
      "A password, key or token would be sent over plain HTTP or an unencrypted connection. Nothing was sent. Addresses of this machine (`127.0.0.1`, `[::1]`, `localhost`) are allowed.",
    next: "Use `https://`, with `tls: { ca: file }` or `tls: { pin: sha256/… }` if needed; for the store use `sslmode=verify-full`. On a safe network allow it: `tls: { plaintext: true }` (target), `plaintext: true` (notification channel, `agent.source`), `PLUMBLINE_GIT_PLAINTEXT=true`, `--plaintext` or `PLUMBLINE_API_PLAINTEXT=true` (code host), `--plaintext` (verdict service), `OTEL_EXPORTER_OTLP_INSECURE=true`, `sslmode=disable` (store).",
  },
  "administrator-unknown": {
    meaning:
      "The device does not report the administrator of the API key, and the configuration names no user. Plumbline could then not distinguish its own uncommitted changes from others.",
    next: "Set `credentials.username` of the target to the administrator of the API key. If the message reports a new name, run again.",
  },
  "candidate-lost": {
    meaning:
      "The operations were written, but there was nothing to commit and the changes are gone: the device restarted, or another administrator reverted them. Two further attempts also failed.",
    next: "Check the uptime (`plumbline doctor TARGET`) and who works on the device, then run again.",
  },
  "candidate-not-restored": {
    meaning:
      "The run failed after its first write and could not revert its changes. Its configuration lock stays, so that nobody commits them. Exit code 4.",
    next: "Run again when the device answers; the next run takes the lock over. Or revert the pending changes of Plumbline's administrator on the device.",
  },
  "command-refused": {
    meaning:
      "The device refuses a command (codes 1, 17, 18 and 400): it does not know it, a parameter is wrong, or the virtual system does not exist. Nothing was done.",
    next: "Check the software version and the virtual system in `scope:`. If a parameter is wrong, report a bug.",
  },
  "connection-lost": {
    meaning: "The connection broke before the reply was complete. Reads were tried four times. Partial replies are not used.",
    next: "Run again. If it persists, look for a proxy, firewall or session limit, and check the load of the management plane.",
  },
  "credential-refused": {
    meaning:
      "The device refuses the API key (`Invalid Credential`), also a new one if user and password are configured. Keys end with a password change, their lifetime, a new master key, or a new key for the same user.",
    next: "Create a new API key, or configure `username` and `password`. Give each program its own administrator.",
  },
  "credentials-missing": {
    meaning: "The target has neither an API key nor a user name with a password.",
    next: 'Set `credentials: { apiKey: "${env:FW_KEY}" }`, or `username` and `password`. Or set the variables `PLUMBLINE_TARGET_<NAME>_KEY`, or `_USER` and `_PASSWORD`.',
  },
  "device-busy": {
    meaning: "The device refuses the request because another commit, validation or installation is running.",
    next: "Wait until the job has ended (`show jobs all`), then run again.",
  },
  "device-error": {
    meaning: "The device refuses with a code or text that Plumbline does not know.",
    next: "Read the text of the device and report the code as a bug.",
  },
  "device-internal-error": {
    meaning: "The device reports an internal error (codes 2, 3, 4, 5, 11 and 21).",
    next: "Check the system log of the device and its management plane, then run again.",
  },
  "device-locked": {
    meaning: "Another administrator holds a configuration or commit lock. Nothing was written (exit code 3).",
    next: "Wait, or ask the holder that the message names. A lock of an ended Plumbline run is taken over after `takeoverAfter`.",
  },
  "device-twice": {
    meaning:
      "Two targets of the configuration lead to the same device (serial number, or project of a cloud). Each run would overwrite the other's values, so neither is written.",
    next: "Check `url` of both targets. Declare everything of one device in one target. After you rename a target, remove its old name in the same commit.",
  },
  "device-unavailable": {
    meaning: "The web server of the device answered with HTTP status 500 or more, or 429. Reads were tried four times.",
    next: "Wait until the management plane answers, then run again. Own smaller subtrees if a large read times out.",
  },
  "device-unreachable": {
    meaning:
      "The device accepts no connection. A firewall behind a manager is unreachable if it is not connected there or the manager does not know it. Exit code 1.",
    next: "Check that the device runs, `url` of the target, and that the management interface permits this machine (`permitted-ip`, service route).",
  },
  "empty-read-not-believed": {
    meaning:
      'The device reports a part of the configuration as empty, but other replies contradict that. Devices also answer "empty" for an unknown path and a missing permission. Plumbline omits this part from the plan (exit code 3).',
    next: "Check the names of vsys, template and device group in the path, and the role and access domain of the administrator. If they are right, run again.",
  },
  failover: {
    meaning:
      "Another member of the pair became active during the run, so the plan belongs to the other device's candidate. After a commit nobody has checked that the other member has it.",
    next: "Run again. If the roles keep changing, repair the pair first.",
  },
  "foreign-change": {
    meaning:
      "During the write another administrator made uncommitted changes that the commit could include. Plumbline reverted its own changes.",
    next: "Run again when they have committed or reverted. `plumbline drift` shows who has pending changes.",
  },
  "host-not-found": {
    meaning: "The host name in `url` of the target does not resolve.",
    next: "Check the spelling of `url` and the name service, or use the management address.",
  },
  "lock-already-ours": {
    meaning:
      "Plumbline's administrator already holds the configuration lock with another comment. Another run or a person uses the account (exit code 3).",
    next: "Wait for it. Use `--takeover` if it has ended. Give Plumbline its own administrator.",
  },
  "lock-lost": {
    meaning:
      "The configuration lock was gone, or another run's lock was in its place, before a write or commit. Plumbline reverted its changes.",
    next: "Find out who removed it (system log), then run again. For slow devices raise `takeoverAfter` (900 s).",
  },
  "lock-not-ours": {
    meaning: "A lock without Plumbline's mark would have to be removed. Plumbline only removes its own locks by force.",
    next: "Ask the holder of the lock to release it.",
  },
  "locked-by-other": {
    meaning: "Another person holds a configuration or commit lock on the part that would change, or uses Plumbline's account manually.",
    next: "Wait; `--lock-timeout S` waits for you. `--takeover` removes a lock of the own account without mark, with its uncommitted changes.",
  },
  "log-job-missing": {
    meaning: "The device accepted a log query but returned no job to fetch the records.",
    next: "Check the log type and that the role permits logs over the XML API.",
  },
  "log-query-refused": {
    meaning: "The device refuses a log query: the filter is invalid or the log type does not exist.",
    next: "Correct the filter of `--query` or `watch:`. It uses the language of the device: conditions in parentheses, joined by `and` and `or`, such as `( severity geq high )`. The log page of the device's web interface can test it. Without a filter, check that this version has the log.",
  },
  "log-query-unanswered": {
    meaning: "A log query did not end in time. It was stopped on the device.",
    next: "Request fewer records or a shorter period, and check the load of the management plane.",
  },
  "login-refused": {
    meaning: "The device created no API key for the user name and password.",
    next: "Check user name and password (no escaping in `plumbline.yaml`), that the role permits the XML API, and that the account is not locked.",
  },
  "logs-not-offered": {
    meaning: "The target has no logs to query: its kind keeps none, or it is a firewall that is read through its manager.",
    next: "Name a target of `kind: panos` with a `url:`.",
  },
  "master-key-changed": {
    meaning:
      "Most stored secrets of the ledger have a new encrypted form at the same time. Usually the master key of the device changed, and the secrets are the same.",
    next: "If the master key changed, run `plumbline adopt TARGET`. If the secrets changed, pass `--allow master-key` once to write them again.",
  },
  "no-single-active-peer": {
    meaning: "The target is a pair (`url` and `peers`), and not exactly one member is active. Nothing was written (exit code 3).",
    next: "Check `show high-availability state` on both devices. Omit `peers` only for a single device.",
  },
  "not-active": {
    meaning: "The device is not the active member of its pair. Writes to a passive device are lost at the next synchronization.",
    next: "Name both devices (`url` and `peers`), and check that exactly one is active.",
  },
  "object-not-found": {
    meaning: "The device does not find an object that the operation needs (code 13). Neither the operation nor its batch was executed.",
    next: "Plan again; the object may have been deleted in the meantime.",
  },
  "object-not-present": {
    meaning: "The node of this XPath does not exist on the device (code 7). Neither the operation nor its batch was executed.",
    next: "Plan again; the node may have been deleted in the meantime.",
  },
  "object-not-unique": {
    meaning:
      "The device refuses a name because another object has it (code 8). Addresses and address groups share names, and so do services and service groups.",
    next: "Choose another name or delete the other object. If it is new, plan again.",
  },
  "object-refused": {
    meaning: "The device refuses the content of a write (code 12): a wrong value, an unknown child, a long name, or a missing reference.",
    next: "Correct the value. `plumbline explain XPATH` prints its file and line, and `plumbline validate` finds many such errors without a device.",
  },
  "operation-denied": {
    meaning: "The device denies the operation (code 15): it is passive, or the place belongs to a template or manager.",
    next: "Configure both members of a pair as `url` and `peers`. Write to the manager what the manager owns.",
  },
  "operation-not-possible": {
    meaning:
      "The device cannot execute the operation (code 14), for example moving the first rule up. The list has changed since the plan.",
    next: "Plan again.",
  },
  "other-device": {
    meaning:
      "The ledger belongs to another device than the one that answers. Plumbline deletes and writes nothing by it and refuses saved plans and approvals. Firewalls are identified by serial number, clouds by project id, identity service and region, controllers by the ids of their first objects.",
    next: "Check `url`. If the device was replaced, run `plumbline adopt TARGET` without `--path` ([ownership](ownership.md#another-device)).",
  },
  "own-pending": {
    meaning:
      "Plumbline's administrator has uncommitted changes that no known run left. A person uses the account, or a run lost its lock. A commit would include the changes.",
    next: "Commit or revert them on the device, and give people their own accounts. Or pass `--takeover` to revert them.",
  },
  "push-failed": {
    meaning:
      "A firewall did not accept a push, the job has no result for it, or the firewall differs from the manager after it. Later waves were not pushed (exit code 4). `pushed` of the JSON report names the firewalls.",
    next: "Check the job on the manager and the firewall, then run again. Differences that are expected can be [declared](manager.md#the-projection); `push: { arrival: manager }` trusts the manager's status.",
  },
  "push-foreign": {
    meaning:
      "A push would include unpushed commits of other administrators. The commit on the manager stays; nothing was pushed (exit code 3). With `others: selective`, firewalls did not take the push because other administrators committed during it (exit code 4).",
    next: "Let them push, then run again. `--allow unpushed` includes their work once; `push: { others: … }` sets [the policy](manager.md#others-work).",
  },
  "push-refused": {
    meaning:
      "Before the push, a firewall reported that it would refuse the commit: a name conflict, a missing zone, or a lock. Nothing was pushed (exit code 4, or 1 without a commit). With `push: { others: selective }` the manager may not support pushes of single administrators' work (exit code 3).",
    next: "Fix what the firewall reports, then run again. `push: { validate: false }` skips the validation, and `push: { arrival: manager }` ignores [local configuration of firewalls](manager.md#in-the-way).",
  },
  "push-unknown": {
    meaning:
      "The result of a push is unknown for a firewall: it did not end within `push: { timeout: … }`, the reply was lost, or the firewall does not report its configuration. Exit code 4, or 1 if nothing was pushed or committed.",
    next: "Run again. The next run waits for a push in progress and checks which firewalls lack it.",
  },
  "reply-content-type": {
    meaning: "The content type of the reply is neither XML nor HTML, so it is not from a firewall.",
    next: "Check `url` and the proxies in front of the device.",
  },
  "reply-empty": {
    meaning: "The device or service sent an empty reply. Reads were tried four times. An empty reply is not an empty configuration.",
    next: "Run again. If it persists, check the management plane and proxies.",
  },
  "reply-html": {
    meaning: "An HTML page came instead of a reply: a login page, a proxy, or a starting management plane.",
    next: "Check `url`, or the address in the catalog or `endpoints` of a cloud, and proxies. Wait a minute if the device has just started.",
  },
  "reply-lost": {
    meaning:
      "A write was sent and its reply was lost, so its result is unknown. Plumbline reads the target and repeats only what is missing; that did not help here.",
    next: "Run again. If it persists, look for a proxy or session limit.",
  },
  "reply-mismatch": {
    meaning: "The device returned another node than the requested one, or several.",
    next: "Name every entry in `at:` paths (`entry[@name='…']`), and check `url`.",
  },
  "reply-not-a-response": {
    meaning: "The reply is XML, but not the `response` document of a firewall.",
    next: "Check that `url` is the device, without a path.",
  },
  "reply-not-http": {
    meaning: "The reply is not HTTP. Some devices answer like this if the URL is too long.",
    next: "Set `http: post` for the target, and check the port of `url`.",
  },
  "reply-not-well-formed": {
    meaning:
      "The reply is broken or truncated XML. Reads were tried four times. A truncated configuration would make the rest look deleted.",
    next: "Run again. If it persists, look for a proxy that truncates replies, and check the logs of the device.",
  },
  "reply-too-large": {
    meaning: "A server sent more than 100 MB in one reply, or in several replies at the same time.",
    next: "Own smaller subtrees, and check what the device contains.",
  },
  "request-timed-out": {
    meaning: "The device or service did not answer within `timeout` seconds. Reads were tried four times, and reads of a cloud twice.",
    next: "Check the load of the management plane or service, or raise `timeout` of the target.",
  },
  "request-too-long": {
    meaning: "The web server refused the length of a request (HTTP 414 or 431). It was not executed.",
    next: "Set `http: auto` or `http: post` for the target, or lower `maxRequestBytes`.",
  },
  "role-not-authorized": {
    meaning: "The administrator has no permission for the request (code 16, or HTTP 403).",
    next: "Give its role the XML API rights for configuration, operational requests, commit and log. Reading needs the first two.",
  },
  "session-timed-out": {
    meaning: "The device aborted the request (code 22). Reads were tried four times.",
    next: "Wait until the management plane is less busy, then run again.",
  },
  "snapshot-name-length": {
    meaning: "A saved configuration needs a name of 1 to 32 characters.",
    next: "Choose a shorter name.",
  },
  "still-referenced": {
    meaning:
      "The device refuses to delete an object because others refer to it (code 10). The message lists them. Another administrator created them.",
    next: "Remove the references or declare them, so that one plan does both. Or plan again.",
  },
  "system-info-missing": {
    meaning: "The device's reply to `show system info` is empty, so its identity is unknown.",
    next: "Check that `url` is a firewall and that the role permits operational requests.",
  },
  "tls-ca-unreadable": {
    meaning: "The file of `tls.ca` cannot be read, is not a regular file, or is larger than 4 MiB. Nothing was sent.",
    next: "Put the PEM file there or correct `tls.ca`. Relative paths start at the folder of `plumbline.yaml`.",
  },
  "tls-client-certificate-unreadable": {
    meaning: "The cloud requires a client certificate, but its file or key cannot be read.",
    next: "Correct `cert` and `key` of the cloud (`OS_CERT`, `OS_KEY`), and make both readable. Relative paths start at the working folder.",
  },
  "tls-handshake-failed": {
    meaning: "The address answers, but no TLS connection is possible: the port has no TLS, or no common version.",
    next: "Check the port of `url`, and that the TLS profile of the device permits TLS 1.2 or newer.",
  },
  "tls-not-valid-now": {
    meaning: "The certificate of the device has expired or is not valid yet. Nothing was sent.",
    next: "Renew the certificate, or compare the clocks.",
  },
  "tls-pin-mismatch": {
    meaning: "The certificate of the device differs from `tls.pin`: it is new, or another server answers. Nothing was sent.",
    next: "Check on the device why the certificate changed. Change `tls.pin` only then. `sha256/…` pins the public key and survives a renewal with the same key.",
  },
  "tls-untrusted": {
    meaning:
      "This machine trusts no signer of the device's certificate. Devices use self-signed certificates by default. Nothing was sent.",
    next: "Set `tls.ca` to the PEM file of the authority (clouds: `cacert` or `OS_CACERT`), or `tls.pin` to the fingerprint that you checked on the device.",
  },
  "tls-wrong-host": {
    meaning: "The certificate is valid but for another name or address than `url`. Another device may answer. Nothing was sent.",
    next: "Use the name in the certificate as `url`, issue a matching certificate, or set `tls.pin`.",
  },
  "too-many-pending-changes": {
    meaning: "The device accepts only a limited number of uncommitted changes, and the plan has more.",
    next: "Set `maxPendingChanges` of the target to the number in the message. The plan then commits in several steps.",
  },
  "traffic-not-kept": {
    meaning: "The agent could not read the new part of a target's traffic log. Earlier records are kept, and the log is read again later.",
    next: "If the clock cannot be read, permit `show system info`. If records have no numbers, remove the target from `agent.traffic.targets`. If the log fills too fast, log fewer rules.",
  },
  "trial-not-possible": {
    meaning:
      "`plumbline doctor TARGET --try-in VSYS` needs an existing empty virtual system that no document mentions, `mode: enforce`, no pause, an open window, a device with locks and a change list, and no uncommitted changes of Plumbline's account. Nothing was written.",
    next: "Name another virtual system, create an empty one, or commit or revert pending changes.",
  },
  "trial-not-undone": {
    meaning:
      "After `plumbline doctor --try-in` the virtual system still has trial objects (`plumbline-doctor-…`), because the revert failed or another commit included them. Exit code 4.",
    next: "Delete them on the device and commit. Find out who committed while the lock was held.",
  },
  "unexpected-http-status": {
    meaning:
      "The address answered with an HTTP status or page that the interface does not use, so it may be a proxy. The request was not executed.",
    next: "Check `url`, the proxies, and that the XML API is enabled. For a cloud check the address in the catalog or `endpoints`.",
  },
  "wrong-device": {
    meaning:
      "The serial number or model of the device differs from `identity` of the target. Nothing was compared or written (exit code 3).",
    next: "Check `url`. Change `identity` only if the device was replaced. For a pair, either serial number is valid.",
  },
  "xpath-refused": {
    meaning: "The device does not understand an XPath (code 6). Nothing was done.",
    next: "Check the names in the path and in `at:`. If Plumbline generated the path, report a bug.",
  },
};

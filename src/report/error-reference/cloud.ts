import type { ErrorTexts } from "./texts.js";

/** Errors of clouds and network controllers. */
export const cloudErrors: ErrorTexts = {
  "audit-pair": {
    meaning:
      "`plumbline audit` compares a cloud with its network controller, but `plumbline.yaml` does not have both, or does not connect them.",
    next: "Name one OpenStack target and one Contrail target. With several clouds, write `auth: { from: CLOUD }` on the controller.",
  },
  "auth-type-not-supported": {
    meaning:
      "The cloud requires a login method that Plumbline does not support. It supports passwords, application credentials and tokens of identity v3 and v2.0, and `none`.",
    next: "Create an application credential and set `auth_type: v3applicationcredential` with its id and secret.",
  },
  "cloud-changed-meanwhile": {
    meaning: "Another client changed the object between Plumbline's read and write (HTTP 412). Nothing of that client was overwritten.",
    next: "Run again. If it happens often, find out who else manages the object.",
  },
  "cloud-conflict": {
    meaning:
      "A service refuses the request in the current state (HTTP 409): an address or segment is taken, an equal rule exists, or a server is busy.",
    next: "Correct the desired state or release the value that the message names. If an object was only busy, run again.",
  },
  "cloud-extension-missing": {
    meaning:
      "Documents declare a kind of object that the network service of this cloud does not offer (HTTP 404 for its list). Nothing was written.",
    next: "Check `openstack extension list --network`. Remove the objects from the documents, or request the extension from the cloud operator. If the cloud has it, look for a proxy that answers instead.",
  },
  "cloud-forbidden": {
    meaning:
      "The account has no permission for the request (HTTP 403). Only administrators may set some fields, such as `shared` and `provider:*`.",
    next: "Give the account a role that permits it, or remove the field or object from the desired state.",
  },
  "cloud-in-use": {
    meaning:
      "An object cannot be deleted or changed because another object uses it (HTTP 409), for example a subnet with ports. Plumbline deletes its own objects in the right order, so the other object is not managed.",
    next: "Remove the ports, interfaces or servers that use it, or keep the object in the desired state.",
  },
  "cloud-incomplete": {
    meaning:
      "The settings of a cloud are incomplete or invalid: no `auth_url`, user or password, or an unknown interface. They come from `clouds.yaml` with `secure.yaml`, or from `OS_*` variables, and from `plumbline.yaml`.",
    next: "Add what the message names. Put secrets into `secure.yaml` or use references in `credentials:` of the target.",
  },
  "cloud-incomplete-object": {
    meaning:
      "An object cannot be created because its entry lacks a required field: the `cidr` of a subnet, the `network` of a port, the `flavor` of a server, the `public_key` or `saveTo` of a key pair.",
    next: "Add the field. To manage only a part of an existing object, write `$partial: true`.",
  },
  "cloud-login-refused": {
    meaning:
      "The identity service refused the login. It does not report whether the user, password, project or role is wrong, or the application credential was deleted.",
    next: "Check user, password, domains and project, and that the user has a role in the project (`openstack role assignment list`). Try `openstack --os-cloud NAME token issue`.",
  },
  "cloud-name-ambiguous": {
    meaning: "A document names an object, and several objects have this name.",
    next: "Write the name with the first eight characters of the id, `NAME~ID`, as the list shows it. For a subnet, write `NETWORK/SUBNET`.",
  },
  "cloud-name-unknown": {
    meaning: "A document names an image, flavor, network, subnet, security group or port that the project cannot see.",
    next: "Correct the name, with its upper and lower case. If the project may use the object but not see it, write its id.",
  },
  "cloud-not-found": {
    meaning: "A service does not find the object (HTTP 404): it was deleted, or belongs to a project that this account cannot see.",
    next: "Run again. If the object should exist, check the project and roles of the account.",
  },
  "cloud-not-known": {
    meaning:
      "The named cloud does not exist, or no cloud is selected. A cloud is an entry of `clouds.yaml`, named by `cloud:` of the target or `OS_CLOUD`. Files in a checkout are ignored.",
    next: "Write the name as in the file, or set `OS_CLIENT_CONFIG_FILE` to a file outside the checkout.",
  },
  "cloud-write-timed-out": {
    meaning:
      "A service did not answer a change within the `timeout` of the target, and the object does not have the new values yet. The service may still be working on it, so the run does not repeat the change. Other changes are made.",
    next: "Run again: the object is read again first. If the service needs longer, raise `timeout`.",
  },
  "cloud-object-hidden": {
    meaning: "The service refuses to create an object because its name exists, but the account cannot see that object.",
    next: "Give the account a role that can read it, or choose another name.",
  },
  "cloud-partial-missing": {
    meaning: "An entry has `$partial: true`, but the object does not exist. Plumbline creates complete objects only.",
    next: "Remove `$partial` to let Plumbline create and own the object, or correct the name.",
  },
  "cloud-quota-exceeded": {
    meaning:
      "The quota of the project is used up. The message names the quota. The rest of the plan was applied; the exit code is 4 if anything was changed.",
    next: "Raise the quota or delete unused objects, then run again. Existing objects are not created twice.",
  },
  "cloud-rate-limited": {
    meaning: "A service or proxy rejects further requests for now (HTTP 429). Plumbline tried four times.",
    next: "Run again later, or lower `concurrency` of the target.",
  },
  "cloud-request-invalid": {
    meaning:
      "A service refuses the content of a request (HTTP 400, 415 or 422): a value out of range, an overlapping address, an unknown image. The request changed nothing.",
    next: "Correct the value that the message names. Otherwise find the request id (`req-…`) in the log of the service.",
  },
  "cloud-request-too-large": {
    meaning: "A service refuses the size of a request (HTTP 413).",
    next: "Split the object, for example a security group with many rules, or raise the limit of the service.",
  },
  "cloud-secret-lost": {
    meaning:
      "The reply to the creation of a server was lost, and with it the `adminPass`, which the service returns only once. Plumbline found the server by its mark and keeps it.",
    next: "Set a password with `openstack server set --password`, or delete the server to let the next run create another one.",
  },
  "cloud-service-failed": {
    meaning:
      "A service had an internal error (HTTP 500). Reads were tried four times. Writes are not repeated, because they may have been executed.",
    next: "Find the request id of the message in the log of the service, then run again.",
  },
  "cloud-service-unavailable": {
    meaning:
      "A service or its proxy is not available (HTTP 502, 503 or 504). Reads were tried four times. Writes are not repeated, because they may have been executed.",
    next: "Wait until the service answers, then run again.",
  },
  "cloud-token-refused": {
    meaning:
      "A service refused the token (HTTP 401) and also a new one. It does not report whether the token is expired, revoked or from another cloud.",
    next: "Check that the account is enabled and has a role in the project, that `endpoints` lead to the same cloud, and the clocks of the services.",
  },
  "cloud-version-not-offered": {
    meaning: "A service does not offer the method, path or version (HTTP 405, 406, 410 or 501).",
    next: "Compare its version with the tested versions ([conformance](contributing/conformance-openstack.md)), and check the address: another service or a proxy may answer.",
  },
  "clouds-file-in-checkout": {
    meaning:
      "`OS_CLIENT_CONFIG_FILE`, `OS_CLIENT_SECURE_FILE` or `OS_CLIENT_VENDOR_FILE` names a file in the checkout or a link into it. A commit could change its `auth_url` and receive the password.",
    next: "Put the file outside the checkout, for example into `~/.config/openstack/`, and name it there.",
  },
  "clouds-file-invalid": {
    meaning:
      "`clouds.yaml`, `secure.yaml` or `clouds-public.yaml` is not valid YAML or does not contain clouds. The text of the line is not printed because it may be a password.",
    next: "Correct the line or the one before it. `openstack --os-cloud NAME token issue` reads the file by the same rules.",
  },
  "clouds-file-unreadable": {
    meaning:
      "`clouds.yaml`, `secure.yaml` or `clouds-public.yaml` exists but cannot be read. Plumbline does not continue with another file, which may describe another cloud.",
    next: "Make the file readable for the account that runs Plumbline, or name another file in `OS_CLIENT_CONFIG_FILE`, `OS_CLIENT_SECURE_FILE` or `OS_CLIENT_VENDOR_FILE`.",
  },
  "controller-authentication": {
    meaning: "The controller refuses the credentials (HTTP 401), also after one token renewal.",
    next: "With `auth: { from: … }`, check that the controller uses the tokens of that cloud. With user and password, check that `url` is the local admin port.",
  },
  "controller-bad-request": {
    meaning:
      "The controller refuses a value (HTTP 400) and names it. Some values cannot change after creation, such as the gateway of a subnet.",
    next: "Correct the value in the desired state.",
  },
  "controller-conflict": {
    meaning:
      "The controller refuses a change (HTTP 409) that contradicts its state: an address of the subnet is in use, or a gateway or pool is outside its subnet.",
    next: "Release the address that the message names, or correct gateway and pools.",
  },
  "controller-exists": {
    meaning:
      "The controller refuses to create an object (HTTP 409) because the name or id exists. It was created in the meantime, or this account cannot see it.",
    next: "Run again. If it persists, give the account the right to read it, or choose another name.",
  },
  "controller-failed": {
    meaning:
      "The controller had an internal error (HTTP 500). Some unsupported changes end like this: another `alloc_unit`, a subnet of length 31 or 32, a malformed route target.",
    next: "Correct the value that the message names. Otherwise check the log of the controller.",
  },
  "controller-list-endless": {
    meaning: "The pages of a list form a circle, or there are more than 10,000. An incomplete list is not used.",
    next: "Run again. If it persists, look for a proxy that caches replies.",
  },
  "controller-not-found": {
    meaning: "The controller has no object with this id or name, or a referenced object is missing.",
    next: "Run again. If it persists, correct the name in the message: the parts of `fq_name`, domain and project first.",
  },
  "controller-not-ours": {
    meaning:
      "An object has another owner's mark or none, so Plumbline may not replace or delete it. The annotations `plumbline_owner` and `plumbline_key` contain the mark.",
    next: "Leave it to its owner or choose another name. Write `$adopt: true` to take over an object without a mark.",
  },
  "controller-object-changed": {
    meaning: "Another client changed or deleted an object between Plumbline's read and write. Nothing was overwritten.",
    next: "Run again. If it persists, find out who else manages the object.",
  },
  "controller-object-missing": {
    meaning: "An entry has `$partial: true`, but the object does not exist.",
    next: "Let its owner create the object, or remove `$partial` to create and own it.",
  },
  "controller-permission": {
    meaning:
      "The controller refuses the request (HTTP 403) or hides an object from the account. Lists omit objects that the account may not read.",
    next: "Give the account the role that the message names, or share the object with its project. Or remove another owner's object from the desired state.",
  },
  "controller-quota": {
    meaning:
      "The controller refuses to create an object (HTTP 412) because the quota of the project is used up. Objects that were created before stay.",
    next: "Raise the quota or delete unused objects, then run again.",
  },
  "controller-reply-broken": {
    meaning: "A reply of the controller is not a complete JSON object. Reads were tried four times.",
    next: "Run again. If it persists, look for a proxy that truncates or rewrites replies.",
  },
  "controller-reply-html": {
    meaning: "An HTML page came instead of a reply of the controller, usually from a login page or proxy.",
    next: "Check `url` of the target and the proxies in front of it.",
  },
  "controller-reply-unexpected": {
    meaning: "A reply is JSON but does not have the form of a controller's reply.",
    next: "Check that `url` is the configuration API (port 8082).",
  },
  "controller-still-referred": {
    meaning:
      "The controller refuses to delete an object (HTTP 409) because other objects refer to it or are below it. It names only the first kind.",
    next: "Delete or change what the message names, or keep the object in the desired state.",
  },
  "controller-system-object": {
    meaning:
      "A document declares an object that the controller needs itself, such as `ip-fabric`, `__link_local__`, `default-virtual-network`, `dci-network` or the default IPAM.",
    next: "Remove the entry. References to such objects are allowed.",
  },
  "controller-too-large": {
    meaning: "A request is larger than the controller accepts (HTTP 413).",
    next: "Split the object, or raise `max_request_size` of the controller.",
  },
  "controller-unavailable": {
    meaning: "The controller or its proxy is not available (HTTP 502, 503 or 504). Requests that can be repeated were tried four times.",
    next: "Wait until it answers, then run again.",
  },
  "controller-watch-broken": {
    meaning: "`/watch` does not return an event stream. Without it Plumbline finds changes at the next pass.",
    next: "Let the proxy pass streams of `/watch`.",
  },
  "create-unproven": {
    meaning:
      "A service did not answer a create request, and the object was not found within `createSettle` (30 seconds). The service may still create it, and a repeated request could create a second object. So this run does not repeat the request (exit code 4). Other changes are made.",
    next: "Wait until the service answers, then run again. Plumbline finds the object by its mark.",
  },
  "floating-ip-target": {
    meaning:
      "A floating IP exists but cannot be associated: the `server` has no port with an IPv4 address, not the one of `fixed_ip_address`, or several. The floating IP keeps its address.",
    next: "Set `fixed_ip_address`, or `port` instead of `server`. If the server failed, fix that first. Then run again.",
  },
  "identity-version-not-offered": {
    meaning:
      "The identity service does not offer the version, or the address is not an identity service. Current clouds do not offer version 2.0.",
    next: "Write `auth_url` as the cloud operator gives it; the version may be omitted. Remove `identity_api_version` or `identityVersion`, or set it to 3.",
  },
  "list-not-whole": {
    meaning:
      "A list could not be read completely: its links form a circle or lead to another list, a page repeated, or a reply had no list. The read was discarded, because the missing objects would look deleted.",
    next: "Run again. If it persists, look for a proxy or cache, or try another `pageSize` of the target.",
  },
  "microversion-not-offered": {
    meaning: "A document needs a newer version of the compute API than the service offers or used in its reply.",
    next: "Use an address that ends in `/v2.1`. Look for a proxy that removes the header `OpenStack-API-Version`, or remove the field that needs the version.",
  },
  "object-hidden": {
    meaning:
      "An object of the ledger is missing in its list, but may still exist: the account cannot read it, a cell is down, or the database lags. If it were treated as deleted, it would be created twice or never cleaned up. The rest of the target is planned.",
    next: "Run again when the service shows the object, or give the account the right to read it. `--allow object-hidden` treats it as deleted once. To leave it to another owner, remove Plumbline's mark from it and run `plumbline adopt`.",
  },
  "reply-not-json": {
    meaning: "A service sent a reply that is not complete JSON, usually because it was truncated. Plumbline does not use parts of it.",
    next: "Run again. If it persists, look for a proxy that truncates replies, and find the request id of the message in the log of the service.",
  },
  "secret-not-saved": {
    meaning:
      "A secret that the cloud returns only once (`adminPass`, or a new private key) could not be written to the file of `saveTo`. A key pair is not created before its key can be saved.",
    next: "Make the folder writable or correct `saveTo`. If the server already exists, set a new password on it.",
  },
  "server-not-built": {
    meaning:
      "A new server did not become ACTIVE: it is in state ERROR, was deleted, or was not ready within 15 minutes. The rest of the plan was applied (exit code 4).",
    next: "Fix the cause, such as no free host, an address outside the subnet, or an image that does not fit the flavor. With `$replace: true` the next run recreates a server in ERROR; otherwise delete it manually.",
  },
  "server-not-changed": {
    meaning:
      "A server did not complete a start, stop, resize or interface change in time, or ended in another state; or another user has an unconfirmed resize. The message contains the state.",
    next: "Check `openstack server show NAME`, `openstack server event list NAME` and `openstack port list --server NAME`. End a foreign resize with `openstack server resize confirm` or `revert`. If the flavor is not possible, choose another one or write `$replace: true`. After a failed rebuild, fix the cause and write `$rebuild: true` or `$replace: true`. Then run again.",
  },
  "server-not-deleted": {
    meaning: "A deleted server still exists after five minutes, or is in state ERROR. Its ports and networks can only be deleted after it.",
    next: "Check the fault of the server and its host. Run again when it is gone.",
  },
  "service-not-answering": {
    meaning:
      "A request was not sent, because the service did not answer the last five reads, or the last five writes, of this run. Without this limit a run could take hours.",
    next: "Check the load of the service, or raise `timeout` of the target. Then run again.",
  },
  "service-not-in-catalog": {
    meaning: "The service catalog has no address of this service for the interface and region. The message lists what it has.",
    next: 'Correct `region_name` or `interface` of the cloud, or `region` and `interface` of the target. Or set the address: `endpoints: { network: "https://…" }` or `network_endpoint_override`.',
  },
  "service-unreachable": {
    meaning: "No connection to a service of the cloud is possible. The exit code is 1.",
    next: "Check that the service runs. If this machine cannot reach the address of the catalog, choose another `interface` or set `endpoints` of the target.",
  },
  "service-version-unknown": {
    meaning: "The service lists its API versions, and Plumbline supports none of them.",
    next: "Check the address in the catalog, or set an address with a version in `endpoints:` of the target.",
  },
  "subnet-rekeyed": {
    meaning:
      "After a write a subnet has a new `subnet_uuid`, so ports and the network service refer to the former one. Plumbline sends the id of each subnet, so another client wrote the network at the same time.",
    next: "Find the other client and stop one of the two. `plumbline audit` shows subnets that lead nowhere.",
  },
  "token-not-scoped": {
    meaning:
      "The identity service issued a token without a project. With such a token every list is empty, so all objects would look deleted.",
    next: "Set `project_name` with `project_domain_name`, or `project_id`. Tokens for a system or a domain are also refused.",
  },
  "volume-not-ready": {
    meaning:
      "A volume did not complete an operation in five minutes (thirty for a create), or failed. The message contains its status. The rest of the plan was applied (exit code 4).",
    next: "`error`: the new volume is empty; fix the cause, then `$replace: true` recreates it. `error_extending`, `error_deleting`, `error_restoring`: the data may be intact; let an administrator check it and run `openstack volume set --state available NAME`. Other states: check the volume service and the host, then run again.",
  },
};

import { DeviceError, requestError } from "./device-error.js";

/** Messages and codes of real devices (docs/contributing/devices/panos.md#replies), in one file so that tests can compare them. */
export const SUCCEEDED = "command succeeded";
export const NOTHING_TO_COMMIT = "There are no changes to commit.";
export const SAME_AS_PREVIOUS =
  "The result of this commit would be the same as the previous commit queued/processed. No edits have been made between these subsequent commits. " +
  "Please check the previous commit status. If still needed, use commit force instead.";

export const invalidCredential = () => requestError("403", "Invalid Credential");
export const notAuthorized = (type: string) => requestError("403", `Type [${type}] not authorized for user role`);
export const parameterRequired = (name: string) => requestError("400", `Parameter "${name}" is required while sending the request`);
export const unknownType = (type: string) => requestError("400", `Illegal value for parameter "type": ${type}`);

/** Reply of `show` for a missing node. */
export const noSuchNode = () => new DeviceError(undefined, "No such node");
/** Reply of `get` for a missing node and for a malformed or missing xpath: success with an empty result. */
export const nothingFound = () => new DeviceError("7", [], { form: "empty-result", status: "success" });
/** Reply of `delete`, `move`, `rename` and `clone` for a missing node. */
export const objectMissing = () => new DeviceError("7", "Object doesn't exist", { form: "plain", status: "success" });
export const badXPath = () => new DeviceError("6", "Bad xpath");
export const actionNotAllowed = (action: string) => new DeviceError("17", `action '${action}' is not an allowed keyword`);
export const malformedElement = () => new DeviceError("18", "malformed command");
export const invalidClientCli = () => new DeviceError("17", "invalid client cli");
export const unknownCommand = (path: string) => new DeviceError("17", `${path} is invalid`);
export const invalidVsys = (name: string) => new DeviceError("17", `${name} is invalid vsys`);

export const breaksValidity = () => new DeviceError("12", "Edit breaks config validity");
export const invalidSequence = () => new DeviceError("12", "Invalid sequence");
export const invalidObject = (text: string) => new DeviceError("12", ` ${text}`);
export const tooLong = (name: string, limit: number, length = name.length) =>
  new DeviceError("12", ` ${name} can be at most ${limit} characters, but current length: ${length}`);
export const notAReference = (where: string, value: string) => new DeviceError("12", ` ${where} '${value}' is not a valid reference`);
export const unexpectedHere = (where: string) => new DeviceError("12", ` ${where} unexpected here`);
/** Issue 563 of pan-os-ansible. */
export const tooManyMembers = (list: string) => new DeviceError("12", ` At most 1 occurrence is allowed for ${list}/member`);
/** Measured by OptivEdgeIntegrations for `application-default`. */
export const aloneWord = (word: string, list: string) => new DeviceError("12", ` '${word}' should not be used with another ${list}`);
/** Issue 345 of ansible-pan. */
export const isInvalid = (where: string) => new DeviceError("12", ` ${where} is invalid`);
export const notUnique = (name: string) => new DeviceError("8", ` '${name}' already in use`);
export const alreadyThere = () => new DeviceError("14", "Object is already at the requested place");
export const needsOverride = (name: string) => new DeviceError("12", `set failed, may need to override template object ${name} first`);
export const notOverridable = () => new DeviceError("12", "Object cannot be overridden");
export const referenced = (name: string, referrers: readonly string[]) =>
  new DeviceError("10", [` ${name} cannot be deleted because of references from:`, ...referrers.map((text) => ` ${text}`)]);
export const deniedOnPassive = () => new DeviceError("15", "Operation denied: this device is the passive peer");
export const tooManyChanges = (limit: number) => new DeviceError("13", `the number of uncommitted changes must not exceed ${limit}`);

export const commitInProgress = () => new DeviceError("13", "A commit is in progress.");
export const anotherCommit = () => new DeviceError("13", "Another commit/validate is in progress. Please try again later");
export const configurationLocked = (owner: string) => new DeviceError("13", `Configuration is locked by ${owner}`);
export const jobNotFound = (id: string) => new DeviceError(undefined, `job ${id} not found`);
export const vsysNotProvided = () => new DeviceError(undefined, "vsys not provided");

/** The shapes in which the controller words a refusal (docs/contributing/devices/contrail.md#errors). */
export type ErrorForm = "text" | "page" | "plain" | "keystone";

/** A refusal with its HTTP status. `objects` are named by their address at the end of the text, as a Python list. */
export class ControllerError extends Error {
  readonly status: number;
  readonly form: ErrorForm;
  readonly objects: readonly { readonly type: string; readonly uuid: string }[] | undefined;

  constructor(status: number, message: string, form: ErrorForm = "text", objects?: ControllerError["objects"]) {
    super(message);
    this.status = status;
    this.form = form;
    this.objects = objects;
  }
}

export function badRequest(message: string): ControllerError {
  return new ControllerError(400, message);
}

export function unknownId(uuid: string): ControllerError {
  return new ControllerError(404, `Unknown id: ${uuid}`);
}

export function internalError(message = "Internal Server Error"): ControllerError {
  return new ControllerError(500, message);
}

export function quotaExceeded(limit: number, resource: string): ControllerError {
  return new ControllerError(412, `quota limit (${limit}) exceeded for resource ${resource}`, "page");
}

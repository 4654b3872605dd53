/**
 * A refusal by one of the services. `type` is the exception's name at the network service, the key of the error
 * object at compute, the title at identity; each service gives it its own shape on the wire.
 */
export class ServiceError extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

import { AsyncLocalStorage } from "node:async_hooks";

/** An activity of a run. Activities are nested: a visit, its pass, a stage of the pass, a request. */
export type Activity = Stage | RequestActivity;

/** `name`: `visit`, `pass`, `read`, `diff`, `plan`, `apply`, or a step of `src/engine/apply/steps.ts`. */
export interface Stage {
  readonly type: "stage";
  readonly name: string;
  /** Present if it differs from the target of the surrounding activity. */
  readonly target?: string | undefined;
  /** Milliseconds between the due time and the start. */
  readonly waited?: number | undefined;
  /** Additional attributes for display: few, short, and without secrets. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** One exchange with a target. `call` has few possible values: never a path, a name or a number. */
export interface RequestActivity {
  readonly type: "request";
  readonly target: string;
  /** Kind of the target. */
  readonly kind: string;
  readonly call: string;
}

export interface Ending {
  readonly error?: unknown;
  /** HTTP status, if the target replied. */
  readonly status?: number | undefined;
}

/** Receives every activity. It must neither throw nor block. */
export interface Observer {
  /** `inside` receives the nested activities. */
  begin(activity: Activity): { readonly inside: Observer; readonly end: (ending: Ending) => void };
  /** Called when a request to a target is sent again. */
  repeat(request: Pick<RequestActivity, "target" | "kind">): void;
}

const current = new AsyncLocalStorage<Observer>();

/** Runs `work` and reports its activities, including nested ones, to `observer`. */
export function observing<T>(observer: Observer, work: () => T): T {
  return current.run(observer, work);
}

/** Runs `work` and reports its activities to `observer`, in addition to the surrounding observers. */
export function alsoObserving<T>(observer: Observer, work: () => T): T {
  const around = current.getStore();
  return current.run(around === undefined ? observer : together([around, observer]), work);
}

/** Runs a stage. Without an observer it only calls `work`. */
export function during<T>(name: string, work: () => T, more: Omit<Stage, "type" | "name"> = {}): T {
  return reported({ type: "stage", name, ...more }, work, () => ({}));
}

/** Makes one exchange with a target and reports it to the observers. */
export function observed<T>(request: Omit<RequestActivity, "type">, statusOf: (reply: T) => number, work: () => Promise<T>): Promise<T> {
  return reported({ type: "request", ...request }, work, (reply) => ({ status: statusOf(reply as T) }));
}

/** Reports that an exchange is repeated. */
export function reportRetry(target: string, kind: string): void {
  current.getStore()?.repeat({ target, kind });
}

function reported<T>(activity: Activity, work: () => T, endingOf: (result: unknown) => Ending): T {
  const observer = current.getStore();
  if (observer === undefined) return work();
  const { inside, end } = observer.begin(activity);
  const failed = (error: unknown): never => {
    end({ error });
    throw error;
  };
  const succeeded = (result: unknown): unknown => {
    end(endingOf(result));
    return result;
  };
  let result: T;
  try {
    result = current.run(inside, work);
  } catch (error) {
    return failed(error);
  }
  return (result instanceof Promise ? result.then(succeeded, failed) : succeeded(result)) as T;
}

/** Combines several observers. */
export function together(observers: readonly Observer[]): Observer {
  return {
    begin: (activity) => {
      const begun = observers.map((observer) => observer.begin(activity));
      return {
        inside: together(begun.map(({ inside }) => inside)),
        end: (ending) => {
          for (const { end } of begun) end(ending);
        },
      };
    },
    repeat: (request) => {
      for (const observer of observers) observer.repeat(request);
    },
  };
}

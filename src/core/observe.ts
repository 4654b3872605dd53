import { AsyncLocalStorage } from "node:async_hooks";

/** What a run is busy with for a while; one lies inside another: a visit, its pass, a stage of that, a request. */
export type Activity = Stage | RequestActivity;

/** `name`: `visit`, `pass`, `read`, `diff`, `plan`, `apply`, or a step of `src/engine/apply/steps.ts`. */
export interface Stage {
  readonly type: "stage";
  readonly name: string;
  /** Where it is another than that of the activity around it. */
  readonly target?: string | undefined;
  /** Milliseconds that it was due and had to wait. */
  readonly waited?: number | undefined;
  /** For people who look at one: few, short, and nothing secret. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** One exchange with a target. `call` is one of a few words: never a path, a name or a number. */
export interface RequestActivity {
  readonly type: "request";
  readonly target: string;
  /** Of the target. */
  readonly kind: string;
  readonly call: string;
}

export interface Ending {
  readonly error?: unknown;
  /** HTTP status, of a request that was answered. */
  readonly status?: number | undefined;
}

/** Told of every activity. It must not throw, and must not make anybody wait. */
export interface Observer {
  /** `inside` is told of what happens within. */
  begin(activity: Activity): { readonly inside: Observer; readonly end: (ending: Ending) => void };
  /** A request to a target is sent again. */
  again(request: Pick<RequestActivity, "target" | "kind">): void;
}

const current = new AsyncLocalStorage<Observer>();

/** Everything that `work` does, and what that starts, is told to `observer`. */
export function observing<T>(observer: Observer, work: () => T): T {
  return current.run(observer, work);
}

/** Tells `observer` of everything that `work` does, in addition to the observers around it. */
export function alsoObserving<T>(observer: Observer, work: () => T): T {
  const around = current.getStore();
  return current.run(around === undefined ? observer : together([around, observer]), work);
}

/** Runs a stage. Where nobody observes, it is `work` alone. */
export function during<T>(name: string, work: () => T, more: Omit<Stage, "type" | "name"> = {}): T {
  return told({ type: "stage", name, ...more }, work, () => ({}));
}

/** Makes one exchange with a target, which observers are told of. */
export function asking<T>(request: Omit<RequestActivity, "type">, statusOf: (reply: T) => number, work: () => Promise<T>): Promise<T> {
  return told({ type: "request", ...request }, work, (reply) => ({ status: statusOf(reply as T) }));
}

/** Says that an exchange is made once more. */
export function askingAgain(target: string, kind: string): void {
  current.getStore()?.again({ target, kind });
}

function told<T>(activity: Activity, work: () => T, endingOf: (result: unknown) => Ending): T {
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

/** Tells several. */
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
    again: (request) => {
      for (const observer of observers) observer.again(request);
    },
  };
}

import type { Clock } from "../../panos/clock.js";

/** Times in the controller's format (`2026-11-21T01:43:44.487337`), strictly increasing. */
export class Timestamps {
  readonly #clock: Clock;
  #microseconds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    this.#microseconds = Math.max(this.#clock.now() * 1000, this.#microseconds + 1);
    const whole = new Date(Math.floor(this.#microseconds / 1000)).toISOString().slice(0, 23);
    return `${whole}${String(this.#microseconds % 1000).padStart(3, "0")}`;
  }
}

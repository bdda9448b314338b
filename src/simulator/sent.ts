import type { Figures } from './figures.js';

/**
 * A notification of the run as terminals execute it, with the text and a time as its two parameters:
 * `9|SHOW_MESSAGE|Simulation 3f9c2a, message 17|03-01-2026 09:00`. In any other form it counts as lost.
 */
const CONTENT = /^\d+\|SHOW_MESSAGE\|Simulation ([0-9a-f]+), message (\d+)\|\d\d-\d\d-\d{4} \d\d:\d\d$/;

/** The notifications that a run has sent, and the terminals that have yet to receive them. */
export class SentNotifications {
  readonly #missing = new Map<number, Set<string>>();
  /** Also those that were not expected: a group may have terminals that connect later. */
  readonly #received = new Map<number, Set<string>>();
  #count = 0;

  constructor(
    private readonly run: string,
    private readonly figures: Pick<Figures, 'broke'>,
  ) {}

  /** Call before it is sent; returns its text. */
  add(serialNumbers: Iterable<string>): string {
    this.#count += 1;
    this.#missing.set(this.#count, new Set(serialNumbers));
    this.#received.set(this.#count, new Set());
    return `Simulation ${this.run}, message ${this.#count}`;
  }

  /** A terminal has received a message for the first time under its id. */
  received(serialNumber: string, message: string): void {
    const [, run, number] = CONTENT.exec(message) ?? [];
    if (run !== this.run || number === undefined) return;
    this.#missing.get(Number(number))?.delete(serialNumber);
    const received = this.#received.get(Number(number));
    if (received?.has(serialNumber) === true) {
      this.figures.broke(
        'doubled_delivery',
        `terminal ${serialNumber}: message ${number} came under two ids`,
      );
    }
    received?.add(serialNumber);
  }

  get outstanding(): number {
    let count = 0;
    for (const missing of this.#missing.values()) count += missing.size;
    return count;
  }

  /** Notes each message that a terminal has not received. */
  noteLost(): void {
    for (const [number, missing] of this.#missing) {
      for (const serialNumber of missing) {
        this.figures.broke('lost_delivery', `terminal ${serialNumber}: message ${number} did not arrive`);
      }
    }
    this.#missing.clear();
  }
}

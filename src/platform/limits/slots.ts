/** A limit of concurrently open things, for example `{ kind: 'live_token', of: '17', max: 50 }`. */
export interface Slot {
  /** Label in metrics. */
  readonly kind: string;
  readonly of: string;
  readonly max: number;
}

const nameOf = ({ kind, of }: Slot): string => `${kind} ${of}`;

/** Counts concurrently open things by kind and owner. */
export class Slots {
  readonly #taken = new Map<string, number>();
  readonly #refused = new Map<string, number>();

  /** Number of refusals by the kind of the full slot. */
  get refused(): ReadonlyMap<string, number> {
    return this.#refused;
  }

  /** Takes all slots or none. Returns the function that releases them, or the slot that is full. */
  take(...slots: readonly Slot[]): (() => void) | Slot {
    const names = slots.map(nameOf);
    const full = slots.find(({ max }, index) => (this.#taken.get(names[index] ?? '') ?? 0) >= max);
    if (full !== undefined) {
      this.countRefusal(full.kind);
      return full;
    }
    for (const name of names) this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const name of names) this.#release(name);
      isTaken = false;
    };
  }

  countRefusal(kind: string): void {
    this.#refused.set(kind, (this.#refused.get(kind) ?? 0) + 1);
  }

  count(slot: Slot): number {
    return this.#taken.get(nameOf(slot)) ?? 0;
  }

  #release(name: string): void {
    const left = (this.#taken.get(name) ?? 0) - 1;
    if (left <= 0) this.#taken.delete(name);
    else this.#taken.set(name, left);
  }
}

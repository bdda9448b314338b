/** A storage of the browser, which may be full or blocked: then its values last until the page is left. */
class SafeStorage {
  readonly #memory = new Map<string, string>();

  constructor(private readonly storage: () => Storage) {}

  /** Whether values last. */
  get isUsable(): boolean {
    try {
      this.storage().setItem('probe', '');
      this.storage().removeItem('probe');
      return true;
    } catch {
      return false;
    }
  }

  get(name: string): string | null {
    try {
      return this.#memory.get(name) ?? this.storage().getItem(name);
    } catch {
      return null;
    }
  }

  /** Null takes the value away. */
  set(name: string, value: string | null): void {
    this.#memory.delete(name);
    try {
      if (value === null) this.storage().removeItem(name);
      else this.storage().setItem(name, value);
    } catch {
      if (value !== null) this.#memory.set(name, value);
    }
  }

  clear(): void {
    this.#memory.clear();
    try {
      this.storage().clear();
    } catch {
      // There is nothing in a blocked storage.
    }
  }
}

/** Values of this browser. */
export const browserStorage = new SafeStorage(() => localStorage);
/** Values of this tab, which survive a reload. */
export const tabStorage = new SafeStorage(() => sessionStorage);

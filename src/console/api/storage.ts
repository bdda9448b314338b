/** A storage of the browser, which may be full or blocked: then its values last until the page is left. */
class SafeStorage {
  readonly #memory = new Map<string, string>();

  constructor(private readonly storage: () => Storage) {}

  get isUsable(): boolean {
    return this.#isDone((storage) => {
      storage.setItem('probe', '');
      storage.removeItem('probe');
    });
  }

  get(name: string): string | null {
    let value = this.#memory.get(name) ?? null;
    this.#isDone((storage) => (value ??= storage.getItem(name)));
    return value;
  }

  /** The object whose JSON is stored; an empty one if there is none. */
  read(name: string): object {
    try {
      return Object(JSON.parse(this.get(name) ?? '{}')) as object;
    } catch {
      return {};
    }
  }

  /** Null takes the value away. */
  set(name: string, value: string | null): void {
    this.#memory.delete(name);
    const isDone = this.#isDone((storage) =>
      value === null ? storage.removeItem(name) : storage.setItem(name, value),
    );
    if (!isDone && value !== null) this.#memory.set(name, value);
  }

  clear(): void {
    this.#memory.clear();
    this.#isDone((storage) => storage.clear());
  }

  /** True if the storage of the browser allows this. */
  #isDone(act: (storage: Storage) => unknown): boolean {
    try {
      act(this.storage());
      return true;
    } catch {
      return false;
    }
  }
}

/** Values of this browser. */
export const browserStorage = new SafeStorage(() => localStorage);
/** Values of this tab, which survive a reload. */
export const tabStorage = new SafeStorage(() => sessionStorage);

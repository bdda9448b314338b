/**
 * In which companies something has changed since a moment: what was read of a company then is what it has now, if nothing
 * has. A position is a moment in the order of commits. It counts too much rather than too little: a unit above companies
 * counts for all of them, and so does one that was rolled back.
 */
export class CompanyChanges {
  #position = 0;
  /** The position of the latest change: of a single company, and of what may concern any. */
  readonly #ofCompany = new Map<number, number>();
  #ofAny = 0;
  #othersVersion: number | null;

  /**
   * `othersVersion` returns a number that differs after other processes have committed something; null if it is not known at
   * this moment.
   */
  constructor(private readonly othersVersion: () => number | null) {
    this.#othersVersion = othersVersion();
  }

  /** To be taken before something is read, for `hasChanged`. */
  get position(): number {
    return this.#position;
  }

  /** To be called with each commit, before it is acknowledged: with its companies, or null for any. */
  committed(scopes: Iterable<number | null>): void {
    this.#position += 1;
    for (const scope of scopes) {
      if (scope === null) this.#ofAny = this.#position;
      else this.#ofCompany.set(scope, this.#position);
    }
  }

  /** Whether a company may have changed after `position`. */
  hasChanged(companyId: number, position: number): boolean {
    const version = this.othersVersion();
    if (version === null || version !== this.#othersVersion) {
      this.#othersVersion = version;
      this.committed([null]);
    }
    return this.#ofAny > position || (this.#ofCompany.get(companyId) ?? 0) > position;
  }
}

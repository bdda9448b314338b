/** Maximum unknown serial numbers of one company. A new one replaces the one seen longest ago. */
export const MAX_UNKNOWN_TERMINALS = 1_000;

/** A serial number of no device of the company that a gateway named. */
export interface UnknownTerminal {
  readonly id: number;
  readonly serialNumber: string;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** Number of requests. */
  readonly count: number;
}

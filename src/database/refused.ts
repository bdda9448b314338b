type Reason = 'damaged' | 'exists' | 'foreign' | 'newer' | 'in_use' | 'lost' | 'unreachable' | 'unusable';

/** A database that cannot be used as it is; nothing in it was changed. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';

  constructor(
    readonly reason: Reason,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

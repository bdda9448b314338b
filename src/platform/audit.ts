/** What every record knows about how it came to be. */
export interface Audit {
  /** Grows with each change; what an ETag is made of. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** User who made it; null where no user did, as by the command line. */
  readonly createdBy: number | null;
  readonly createdVia: 'api' | 'interface';
}

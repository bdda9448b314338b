/** Audit fields of a record: its revision, and when, by whom and through which surface it was created. */
export interface Audit {
  /** Starts at 1 and grows with each change. Clients name it in If-Match (as an ETag) and `ifMatch`. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Id of the user who created it. */
  readonly createdBy: number;
  readonly createdVia: 'api' | 'interface';
}

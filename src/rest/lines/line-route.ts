import type { WriteWork } from '../../database/work.js';
import type { Scope } from '../../platform/caller.js';
import type { Row, RowResult } from '../../platform/requests/rows.js';
import type { DescribedRoute, Description } from '../openapi/described.js';

/** Stores rows in batches, each in its own unit of work. `Checked` is a batch checked before its unit. */
export interface RowStore<Checked> {
  /** Checks a batch of rows; yields to the event loop during long work. */
  check(rows: readonly Row[]): Promise<Checked>;
  /** Stores the batch. Resolves to one result per row, in the same order. */
  store(work: WriteWork, checked: Checked): Promise<readonly RowResult[]>;
  /** Whether the answer has a line for this row. */
  shows(result: RowResult): boolean;
}

/** Route with an NDJSON request of any length and an NDJSON answer. */
export interface LineRoute<Checked> extends RowStore<Checked> {
  readonly path: string;
  readonly scope: Scope;
  readonly describe: Description & Required<Pick<Description, 'rows'>>;
  /** Checks, before the answer begins, that rows can be stored. Errors: for example a full disk. */
  demandRoom(work: WriteWork): Promise<void>;
}

export const NDJSON_TYPE = 'application/x-ndjson';

/** Description of the route for the OpenAPI document. */
export function describeLineRoute<Checked>({ path, scope, describe }: LineRoute<Checked>): DescribedRoute {
  const body = { types: [NDJSON_TYPE], model: describe.rows };
  return { method: 'POST', path, tag: 'ingest', scope, body, describe };
}

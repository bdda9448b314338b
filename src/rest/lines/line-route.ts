import type { WriteWork } from '../../database/work.js';
import type { Scope } from '../../platform/caller.js';
import type { Row, RowResult } from '../../platform/requests/rows.js';
import type { DescribedRoute, Description } from '../openapi/described.js';

/**
 * Stores rows in batches, each in a unit of work of its own, and answers with lines. `Checked` is what is made of the rows of
 * a batch before its unit.
 */
export interface RowStore<Checked> {
  /** Long work is done in parts, between which others run. */
  check(rows: readonly Row[]): Promise<Checked>;
  /** One result for each row, in the same order. */
  store(work: WriteWork, checked: Checked): Promise<readonly RowResult[]>;
  /** Whether a row gets a line of the answer. */
  shows(result: RowResult): boolean;
}

/** A route whose request is NDJSON of any length, and whose answer is NDJSON too. */
export interface LineRoute<Checked> extends RowStore<Checked> {
  readonly path: string;
  readonly scope: Scope;
  readonly describe: Description & Required<Pick<Description, 'rows'>>;
  /** Refuses what could not be stored, before the answer begins. Errors: those of a change. */
  demandRoom(work: WriteWork): Promise<void>;
}

export const NDJSON_TYPE = 'application/x-ndjson';

/** What the OpenAPI document needs of the route. */
export function describeLineRoute<Checked>({ path, scope, describe }: LineRoute<Checked>): DescribedRoute {
  const body = { types: [NDJSON_TYPE], model: describe.rows };
  return { method: 'POST', path, tag: 'ingest', scope, body, describe };
}

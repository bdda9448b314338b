import type { WriteWork } from '../../database/work.js';
import { MAX_BODY_BYTES } from '../../http/body/body.js';
import { problemResponse } from '../../http/problem.js';
import { ndjsonLine } from '../../platform/encoding/ndjson.js';
import { addRows, batchesOf, NO_ROWS, type Row } from '../../platform/requests/rows.js';
import type { RowStore } from './line-route.js';

/** What one transaction stores: others wait for it. */
const BATCH = { rows: 500, bytes: MAX_BODY_BYTES } as const;

export interface Lines {
  readonly rows: AsyncIterable<Row>;
  /** A unit of work of who sends the rows, whose right is looked up again. Errors: those of a token that is no longer valid. */
  readonly write: <T>(use: (work: WriteWork) => Promise<T>) => Promise<T>;
  readonly requestId: string;
  /** Gets faults of the server, which the response shows as 500. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/**
 * Stores the rows, batch by batch; returns the text of the answer as it is made: lines for rows of a batch once it is
 * committed, and a last line with the totals of all committed rows. An error ends it, with the error in the last line.
 */
export async function* lineAnswers<Checked>(route: RowStore<Checked>, lines: Lines): AsyncGenerator<string> {
  const { rows, requestId } = lines;
  let totals = NO_ROWS;
  try {
    for await (const batch of batchesOf(rows, BATCH)) {
      const checked = await route.check(batch);
      const results = await lines.write((work) => route.store(work, checked));
      totals = addRows(totals, results);
      const shown = results.filter((result) => route.shows(result)).map(ndjsonLine);
      if (shown.length > 0) yield shown.join('');
    }
  } catch (error) {
    const { status, body } = problemResponse(error, requestId);
    if (status === 500) lines.onError(error, requestId);
    yield ndjsonLine({ error: body, ...totals });
    return;
  }
  yield ndjsonLine(totals);
}

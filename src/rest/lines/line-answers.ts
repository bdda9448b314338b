import type { WriteWork } from '../../database/work.js';
import { MAX_BODY_BYTES } from '../../http/body/body.js';
import { problemResponse } from '../../http/problem.js';
import { ndjsonLine } from '../../platform/encoding/ndjson.js';
import { addRows, batchesOf, NO_ROWS, type Row } from '../../platform/requests/rows.js';
import type { RowStore } from './line-route.js';

/** Maximum rows and bytes stored in one transaction: other writes wait while it runs. */
const BATCH = { rows: 500, bytes: MAX_BODY_BYTES } as const;

export interface Lines {
  readonly rows: AsyncIterable<Row>;
  /** Runs a unit of work as the sender, after checking the token again. Errors: those of an invalid token. */
  readonly write: <T>(use: (work: WriteWork) => Promise<T>) => Promise<T>;
  readonly requestId: string;
  /** Receives server faults; the response reports them as 500. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/**
 * Stores the rows in batches and yields the text of the answer: lines for the rows of a batch after its
 * commit, then a line with the totals of all committed rows. An error ends the answer; the last line reports
 * it.
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

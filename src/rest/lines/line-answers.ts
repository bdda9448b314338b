import type { Units } from '../../database/work.js';
import { MAX_BODY_BYTES } from '../../http/body/body.js';
import { problemResponse } from '../../http/problem.js';
import type { Caller } from '../../platform/caller.js';
import { ndjsonLine, ndjsonRows } from '../../platform/encoding/ndjson.js';
import { addRows, batchesOf, NO_ROWS } from '../../platform/rows.js';
import type { LineRoute } from './line-route.js';

/** Of a line: to check and mask so much text takes some 50 ms at worst, and cannot be done in parts. */
const MAX_LINE_BYTES = 256 * 1024;
/** What one transaction stores: others wait for it. */
const BATCH = { rows: 500, bytes: MAX_BODY_BYTES } as const;

export interface Lines {
  /** The bytes of the request. */
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly units: Units;
  /** The caller who sends the rows, looked up again before each batch. Errors: those of a token that is no longer valid. */
  readonly caller: () => Promise<Caller>;
  readonly requestId: string;
  /** Gets faults of the server, which the response shows as 500. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/**
 * Stores the rows, batch by batch; returns the text of the answer as it is made: lines for rows of a batch once it is
 * committed, and a last line with the totals of all committed rows. An error ends it, with the error in the last line.
 */
export async function* lineAnswers<Checked>(route: LineRoute<Checked>, lines: Lines): AsyncGenerator<string> {
  const { pieces, units, requestId } = lines;
  let totals = NO_ROWS;
  try {
    for await (const batch of batchesOf(ndjsonRows(pieces, MAX_LINE_BYTES), BATCH)) {
      const checked = await route.check(batch);
      const results = await units.write(await lines.caller(), (work) => route.store(work, checked));
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

import { describe, expect } from 'vitest';

import { placeAt } from '../support/databases/sqlite-place.js';
import { ingestRows, ndjson, sendLines, totalsOf } from '../support/line-stream.js';
import { itUnless, lacking, limited, runTool, startPrepared, useScratchFolder } from './machine.js';
import { problemsIn } from './soundness.js';

let file: string;
useScratchFolder((scratch) => ({ file } = scratch));

const ROWS = 8_000;

describe('CF-06 storage that is full in the middle of a stream to ingest', () => {
  itUnless(lacking.limits())(
    'ends it with the totals of what is stored; the rest is stored later',
    async () => {
      const place = placeAt(file);
      const { token, program } = await startPrepared(place, limited('-S -f 3000'));
      const body = ndjson(ingestRows(ROWS));
      const { status, lines } = await sendLines(program.url, token, body);
      const [{ total }] = (await place.sql<{ total: number }>(
        'select count(*) as total from transactions',
      )) as [{ total: number }];
      expect([status, total > 0, total < ROWS, total % 500]).toEqual([200, true, true, 0]);
      const error = { code: 'storage_full', message: any, request_id: any };
      expect(lines).toEqual([{ error, ...totalsOf(total) }]);

      // Rows that are stored already need no room.
      const again = await sendLines(program.url, token, body);
      expect([again.status, again.lines]).toEqual([200, [{ error, ...totalsOf(0, total) }]]);

      runTool('prlimit', '--pid', String(program.pid), '--fsize=unlimited');
      const often = { interval: 200 };
      await expect.poll(async () => (await program.client(token).get('/readyz')).status, often).toBe(200);
      expect((await sendLines(program.url, token, body)).lines).toEqual([totalsOf(ROWS - total, total)]);
      expect(await problemsIn(place)).toEqual([]);
    },
  );
});

const any = expect.any(String) as string;

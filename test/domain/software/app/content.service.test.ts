import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { deleteExpiredResponses } from '../../../../src/database/stored-responses.js';
import { createUnits } from '../../../../src/database/units.js';
import { sweepContents } from '../../../../src/domain/software/app/content.service.js';
import { DAY, MINUTE } from '../../../../src/platform/clock.js';
import { CHUNK_BYTES, ContentBuilder } from '../../../../src/platform/encoding/content.js';
import { startServer, SYSTEM } from '../../../support/server.js';

describe('bytes gathered piece by piece', () => {
  it('are the same whatever the pieces, in chunks of one size but for the last', () => {
    const whole = Buffer.alloc(2 * CHUNK_BYTES + 1_234, 'terminal');
    const atOnce = new ContentBuilder();
    atOnce.add(whole);
    const expected = atOnce.finish();
    expect(expected.chunks.map((chunk) => chunk.length)).toEqual([CHUNK_BYTES, CHUNK_BYTES, 1_234]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 20 }), (cuts) => {
        const builder = new ContentBuilder();
        let start = 0;
        for (const end of [...cuts.sort((a, b) => a - b), whole.length]) {
          builder.add(whole.subarray(start, end));
          start = end;
        }
        const { chunks, ...sums } = builder.finish();
        expect(sums).toEqual({ size: expected.size, crc: expected.crc, sha256: expected.sha256 });
        expect(chunks.map((chunk) => chunk.length)).toEqual(expected.chunks.map((chunk) => chunk.length));
        expect(Buffer.concat(chunks).equals(whole)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('are copies: what is done to the pieces afterwards changes nothing', () => {
    const piece = Buffer.from('abc');
    const builder = new ContentBuilder();
    builder.add(piece);
    piece.fill('x');
    expect(Buffer.concat(builder.finish().chunks).toString()).toBe('abc');
  });
});

describe('bytes that nobody owns', () => {
  it('stay for those who still read them, and as long as a kept answer would show them, and then go', async () => {
    const server = await startServer();
    const { client } = server.acme;
    const units = createUnits(server.app.database, server.clock);
    const ids = async (): Promise<number[]> =>
      (await server.app.database.reads.selectFrom('contents').select('id').execute()).map((row) => row.id);
    const upload = async (name: string, headers: Record<string, string> = {}): Promise<string> => {
      const form = new FormData();
      form.set('file', new Blob([name]), name);
      const { id } = (await client.post('files', form, { headers })).record('file');
      return `files/${String(id)}`;
    };
    const sweep = async (): Promise<void> => {
      while (await sweepContents(units));
    };

    const kept = await upload('kept');
    const gone = await upload('gone');
    const replayed = await upload('replayed', { 'idempotency-key': 'k' });
    const [keptId, , replayedId] = await ids();
    await client.delete(gone);
    await client.delete(replayed);
    await sweep();
    expect(await ids()).toHaveLength(3);
    server.clock.advance(16 * MINUTE);
    await sweep();
    expect(await ids()).toEqual([keptId, replayedId]);
    server.clock.advance(DAY);
    await units.systemWrite(SYSTEM, deleteExpiredResponses);
    await sweep();
    expect(await ids()).toEqual([keptId]);
    expect((await client.get(kept)).record('file').content).toBe(Buffer.from('kept').toString('base64'));
    await server.stop();
  });
});

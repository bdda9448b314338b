import { describe, expect, it } from 'vitest';

import { MAX_KINDS } from '../../../../../src/domain/payments/transaction/transaction.model.js';
import { DAY, MINUTE } from '../../../../../src/platform/clock.js';
import { SUMS } from '../../../../../src/schema/rollups.js';
import { answered, refused } from '../../../../support/dashboard.js';
import { insertRows } from '../../../../support/databases/rows.js';
import { useServer } from '../../../../support/server.js';
import { payment, record } from '../records.js';
import { SUMMARY, type Question, type Summary } from './expected-summary.js';

const AT = Date.UTC(2026, 4, 10);

const server = useServer();

const summary = async (question: Question): Promise<Summary> =>
  (await answered<{ transactionSummary: Summary }>(server.acme, SUMMARY, { ...question })).transactionSummary;

const at = (startedAt: number, parsed: Record<string, unknown> = {}) => ({
  ...payment({ amount: 1, ...parsed }),
  startedAt: new Date(startedAt),
  finishedAt: new Date(startedAt),
});

describe('kinds of payments', () => {
  const MORE = 20;

  it(`are summed up as other from the ${MAX_KINDS + 1}st of a month on, whatever clients send`, async () => {
    const kinds = Array.from({ length: MAX_KINDS + MORE }, (_, n) => at(AT, { acquirer: `A-${n}` }));
    await record(server, server.acme, kinds.slice(0, 200));
    await record(server, server.acme, kinds.slice(200));
    await record(server, server.acme, [...kinds.slice(0, 10), ...kinds.slice(-10)]);
    const rows = await summary({ bucket: 'NONE', by: ['BRAND', 'ACQUIRER', 'PAYMENT_TYPE'] });
    expect(rows).toHaveLength(MAX_KINDS + 1);
    const other = { brand: 'other', acquirer: 'other', paymentType: 'other' };
    expect(rows.find(({ acquirer }) => acquirer === 'other')).toMatchObject({ ...other, count: MORE + 10 });
    expect(rows.find(({ acquirer }) => acquirer === 'A-3')).toMatchObject({ brand: 'visa', count: 2 });
    const [{ stored } = { stored: 0 }] = await server.place.sql<{ stored: number }>(
      'select count(*) as stored from transaction_payment_totals where span = 30',
    );
    expect(stored).toBe(MAX_KINDS + 1);
  });

  it('are the same where transactions are read one by one', async () => {
    const by = ['BRAND', 'ACQUIRER'];
    const filter = { serialNumber: { eq: 'S-1' } };
    expect(await summary({ bucket: 'NONE', by, filter })).toEqual(await summary({ bucket: 'NONE', by }));
  });

  it('have names again in the next month', async () => {
    await record(server, server.acme, [at(AT + 31 * DAY, { acquirer: 'A-last', card: { brand: 'elo' } })]);
    const filter = { startedAt: { gte: new Date(AT + DAY).toISOString() } };
    expect(await summary({ bucket: 'NONE', by: ['BRAND', 'ACQUIRER'], filter })).toEqual([
      expect.objectContaining({ brand: 'elo', acquirer: 'A-last', count: 1 }),
    ]);
  });
});

describe('a summary in a time zone', () => {
  it.each(['Atlantis/Poseidonis', '', 'America/Sao Paulo', 'x'.repeat(500)])(
    'is refused where the zone is not known: %s',
    async (timeZone) => {
      for (const bucket of ['DAY', 'NONE'] as const) {
        const { message, code } = await refused(server.acme, SUMMARY, { bucket, by: [], timeZone });
        expect(code).toBe('BAD_USER_INPUT');
        expect(message).toMatch(
          /^timeZone: ".{0,65}" is not an IANA time zone, for example America\/Sao_Paulo\.$/,
        );
      }
    },
  );

  it('does not depend on the case of the name, and null is UTC', async () => {
    const question = { bucket: 'DAY', by: [] } as const;
    const rows = await summary({ ...question, timeZone: 'America/Sao_Paulo' });
    expect(rows.map(({ bucketStart }) => bucketStart)).toEqual([
      '2026-05-09T03:00:00.000Z',
      '2026-06-09T03:00:00.000Z',
    ]);
    expect(await summary({ ...question, timeZone: 'america/sao_paulo' })).toEqual(rows);
    const utc = await summary({ ...question, timeZone: null });
    expect(utc).toEqual(await summary({ ...question, timeZone: 'Etc/UTC' }));
    expect(utc[0]?.bucketStart).toBe('2026-05-10T00:00:00.000Z');
  });

  it('is refused beyond 20 years, and where divided half hours have too many transactions', async () => {
    await record(server, server.acme, [at(Date.UTC(1999, 0, 1))]);
    const question = { bucket: 'DAY', by: ['BRAND'] } as const;
    const refusal = (words: RegExp) => ({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(words) as string,
    });
    expect(await refused(server.acme, SUMMARY, { ...question, timeZone: 'America/Sao_Paulo' })).toEqual(
      refusal(/covers at most 20 years: shorten the interval of startedAt/),
    );
    const filter = { startedAt: { lt: '1975-01-01T00:00:00Z' } };
    const companyId = server.acme.caller.companyId;
    // Midnight of Guyana was at 03:45 UTC.
    const starts = [1, 2, 3].map((day) => Date.UTC(1974, 0, day, 3, 30) / MINUTE);
    const sums = Object.fromEntries(SUMS.map((name) => [name, name === 'total' ? 700_000 : 0]));
    const kind = { status: 'success', transaction_type: 'switch' };
    const rows = starts.flatMap((start) => [
      { company_id: companyId, span: 30, start, ...kind, ...sums },
      { company_id: companyId, span: 1440, start: start - (start % 1440), ...kind, ...sums },
    ]);
    await insertRows(server.place, 'transaction_totals', rows);
    expect(await refused(server.acme, SUMMARY, { ...question, filter, timeZone: 'America/Guyana' })).toEqual(
      refusal(/other minutes of UTC than 0 and 30, a summary reads at most 2000000 transactions/),
    );
    const later = { startedAt: { gte: '2026-01-01T00:00:00Z' } };
    expect(await summary({ ...question, filter: later, timeZone: 'Asia/Kolkata' })).toHaveLength(3);
  });
});

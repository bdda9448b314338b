import { beforeAll, describe, expect, it } from 'vitest';

import { recordEach } from '../../../../../src/domain/payments/transaction/recording/transaction-recording.service.js';
import { changed } from '../../../../support/dashboard.js';
import { totalIn } from '../../../../support/fleet.js';
import { metricOf } from '../../../../support/gauges.js';
import { expectRefused } from '../../../../support/mutations.js';
import { useServer, type Fields, type Member } from '../../../../support/server.js';
import { payment, BULK, paymentInput, runningInput } from '../records.js';

const server = useServer();
let ingest: Member;
beforeAll(async () => {
  ingest = await server.member('acme', 'operator', ['ingest']);
});

const bulk = async (inputs: readonly Fields[]) =>
  await changed<{ count: number | null; results: readonly Fields[] | null }>(ingest, BULK, { inputs });
const total = () => totalIn(server.acme.client, 'transactions');
const thousand = (prefix: string): Fields[] =>
  Array.from({ length: 1_000 }, (_, n) => paymentInput({ reference: `${prefix} ${n}` }));

describe('transactionBulkRecord', () => {
  it('records the valid rows, recognizes repeated ones, and reports the errors of the others', async () => {
    await bulk([paymentInput({ reference: 'known' })]);
    const before = await total();
    const payload = await bulk([
      paymentInput({ reference: 'new' }),
      paymentInput({ reference: 'known' }),
      paymentInput({ reference: 'known', detail: 'other' }),
      paymentInput({ appName: '', finishedAt: null }),
      paymentInput({ reference: 'new' }),
      paymentInput({ reference: 'new', serialNumber: 'S-2' }),
      runningInput(),
      paymentInput({}, { amount: -1 }),
    ]);
    const error = (index: number, field: string, message: string, code = 'INVALID'): Fields => {
      const path = ['inputs', String(index), field];
      return { message: expect.stringContaining(message) as string, path, code };
    };
    const failed = (index: number, ...userErrors: Fields[]): Fields => {
      return { index, repeated: false, transaction: null, userErrors };
    };
    const row = (index: number, reference: string | null, repeated = false): Fields => {
      return { index, repeated, transaction: { reference }, userErrors: [] };
    };
    expect(payload).toMatchObject({
      count: 3,
      results: [
        row(0, 'new'),
        row(1, 'known', true),
        failed(2, error(2, 'reference', 'other values of detail', 'TAKEN')),
        failed(3, error(3, 'appName', 'must not be empty'), error(3, 'finishedAt', 'is required')),
        row(4, 'new', true),
        row(5, 'new'),
        row(6, null),
        failed(7, error(7, 'parsed', 'amount')),
      ],
      userErrors: [],
    });
    const ids = payload.results?.map(({ transaction }) => (transaction as Fields | null)?.databaseId);
    expect(ids?.[4]).toBe(ids?.[0]);
    expect(ids?.[5]).not.toBe(ids?.[0]);
    expect(await total()).toBe(before + 3);
  });

  it('takes one more statement for each further 200 new rows, none for repeated ones, and refuses 1,001', async () => {
    const statements = async (inputs: readonly Fields[]): Promise<number> =>
      (await server.statements(() => bulk(inputs))).statements.filter((sql) => !sql.includes('access_tokens'))
        .length;
    await statements([paymentInput()]);
    const few = thousand('few').slice(0, 2);
    const [newRows, repeated] = [await statements(few), await statements(few)];
    const many = thousand('many');
    expect([await statements(many), await statements(many)]).toEqual([newRows + 4, repeated]);
    const mixed = [...many.slice(0, 500), ...thousand('more').slice(0, 500)];
    expect(await bulk(mixed)).toMatchObject({ count: 500 });
    const inputs = [...many, paymentInput()];
    const message = 'must have at most 1000 entries';
    await expectRefused(ingest, 'transactionBulkRecord', { inputs }, 'INVALID inputs', message);
  });

  it('AT-27 counts masked card data once it is committed', async () => {
    const scrubs = (): Promise<number> => metricOf(server.url, 'card_data_scrubs_total');
    const before = await scrubs();
    await server.app.units.write(ingest.caller, async (work) => {
      await recordEach(work, [payment({ metadata: { pan: '4111111111111111' } })]);
      expect(await scrubs()).toBe(before);
    });
    expect(await scrubs()).toBe(before + 1);
  });

  it('leaves other requests a turn of the event loop after each 50 rows', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const records = Array.from({ length: 1_000 }, () => payment());
    await server.app.units.write(ingest.caller, async (work) => {
      turns = 0;
      await recordEach(work, records);
      expect(turns).toBeGreaterThanOrEqual(20);
    });
    clearImmediate(next);
  });
});

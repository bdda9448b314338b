import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { finishTransaction } from '../../../../src/domain/payments/transaction/recording/transaction-recording.service.js';
import {
  getTransaction,
  listTransactions,
} from '../../../../src/domain/payments/transaction/transaction.service.js';
import { recordAll } from '../../../support/recording.js';
import { startServer, type TestServer } from '../../../support/server.js';
import { payment, record, report, START } from './records.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const read = <T>(use: Parameters<typeof server.app.units.read<T>>[1]) =>
  server.app.units.read(server.acme.caller, use);
const write = <T>(use: Parameters<typeof server.app.units.write<T>>[1]) =>
  server.app.units.write(server.acme.caller, use);
const totalOf = async (filter: object = {}): Promise<number> =>
  (await read((work) => listTransactions(work, filter, { page: 1, perPage: 1 }))).total;

const scrubsCounted = async (): Promise<number> => {
  const { text } = await server.anonymous.get('/metrics');
  return Number(/^card_data_scrubs_total (\d+)$/m.exec(text)?.[1]);
};

describe('recording transactions', () => {
  it('stores them with one entry in the ledger, and the amount of the payment in its own column', async () => {
    const before = await totalOf();
    const recorded = await record(server, server.acme, [report(), payment({ amount: 990 })]);
    expect(recorded).toMatchObject({ count: 2 });
    expect(await totalOf()).toBe(before + 2);
    const rows = await server.app.database.reads
      .selectFrom('transactions')
      .select(['id', 'amount'])
      .where('id', '>=', recorded.firstId ?? 0)
      .execute();
    expect(rows).toEqual([
      { id: recorded.firstId, amount: null },
      { id: recorded.lastId, amount: 990 },
    ]);
    const entries = await server.app.database.reads
      .selectFrom('ledger')
      .select(['action', 'entity_id', 'after'])
      .where('entity_type', '=', 'transaction')
      .execute();
    expect(entries).toHaveLength(1);
    expect(JSON.parse(entries[0]?.after ?? '')).toEqual({
      count: 2,
      first_id: recorded.firstId,
      last_id: recorded.lastId,
    });
  });

  it('takes as many statements for 200 transactions as for two, and an insert for each 200 more', async () => {
    const statements = async (count: number): Promise<string[]> =>
      (
        await server.statements(() =>
          record(
            server,
            server.acme,
            Array.from({ length: count }, () => report()),
          ),
        )
      ).statements;
    const { length } = await statements(2);
    expect(await statements(200)).toHaveLength(length);
    expect(await statements(1_000)).toHaveLength(length + 4);
    expect(await statements(2_500)).toHaveLength(length + 12);
  });

  it('accepts an empty batch', async () => {
    const before = await totalOf();
    expect(await record(server, server.acme, [])).toEqual({
      count: 0,
      firstId: null,
      lastId: null,
    });
    expect(await totalOf()).toBe(before);
  });

  it.each<[string, unknown, string]>([
    ['a type that does not exist', report({ transactionType: 'sale' }), 'must be one of'],
    ['a status that does not exist', report({ status: 'done' }), 'must be one of'],
    ['no serial number', report({ serialNumber: undefined }), 'serialNumber is required'],
    ['an empty app name', report({ appName: '' }), 'appName must not be empty'],
    ['an end while it runs', report({ status: 'running' }), 'finishedAt must be null while it runs'],
    ['no end after it has ended', report({ finishedAt: null }), 'finishedAt is required'],
    ['an end before its start', report({ finishedAt: new Date(0) }), 'finishedAt must not be before'],
    ['a payment that failed', { ...payment(), status: 'fail' }, 'parsed belongs to a success only'],
    ['a payment without an amount', payment({ amount: undefined }), 'parsed amount is required'],
    ['an amount that is no whole number', payment({ amount: 1.5 }), 'parsed amount must be'],
    [
      'a start in another millennium',
      report({ startedAt: new Date(8.64e15), finishedAt: null }),
      'year from',
    ],
    ['a NUL in a message', report({ sent: 'a\0b' }), 'sent must not contain NUL'],
    ['metadata nested too deep', payment({ metadata: { deep: nested(40) } }), 'nested at most'],
  ])('refuses %s', async (_what, row, message) => {
    const before = await totalOf();
    const error: unknown = await record(server, server.acme, [report(), row]).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'invalid' });
    const { fields } = (error as { details: { fields: Record<string, string[]> } }).details;
    const messages = Object.entries(fields).map(([field, [first = '']]) => `${field} ${first}`);
    expect(messages).toContainEqual(expect.stringContaining(message));
    expect(await totalOf()).toBe(before);
  });

  it('AT-27 stores no card data, and counts the masked values after the commit', async () => {
    const pan = '4111111111111111';
    const before = await scrubsCounted();
    await write(async (work) => {
      const row = {
        ...payment({ metadata: { track2: `${pan}=2512`, raw: pan }, nsu: pan }),
        detail: `pan ${pan}`,
        sent: `0200${pan}D25121010000012345`,
        received: `{"cvv":"123"}`,
      };
      await recordAll(work, [row, report()]);
      expect(await scrubsCounted()).toBe(before);
    });
    expect(await scrubsCounted()).toBe(before + 7);
    const [, stored] = (
      await server.acme.client.get('transactions', undefined, { query: { per_page: 2 } })
    ).list('transactions');
    expect(JSON.stringify(stored)).not.toMatch(/4111111111|cvv":"123|[=D]2512/);
    expect(stored).toMatchObject({ detail: 'pan 411111******1111', received: '{"cvv":"***"}' });
    expect((await server.place.stored()).includes(pan)).toBe(false);
  });

  it('CF-03 stores none of a batch of 500 if its unit of work fails', async () => {
    const before = [await totalOf(), await totalOf({ status: 'success' })];
    const stopped = write(async (work) => {
      await recordAll(
        work,
        Array.from({ length: 500 }, () => report()),
      );
      throw new Error('stopped');
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect([await totalOf(), await totalOf({ status: 'success' })]).toEqual(before);
  });
});

describe('finishing a transaction', () => {
  async function running() {
    const { firstId } = await record(server, server.acme, [report({ status: 'running', finishedAt: null })]);
    return await read((work) => getTransaction(work, firstId ?? 0));
  }

  it('turns a running one into a success with its payment, and updates the totals', async () => {
    const current = await running();
    const before = [await totalOf({ status: 'running' }), await totalOf({ status: 'success' })];
    const finished = await write((work) =>
      finishTransaction(work, current, {
        status: 'success',
        received: 'pan 4111111111111111',
        parsed: payment({ amount: 5 }).parsed,
      }),
    );
    expect(finished).toMatchObject({ status: 'success', received: 'pan 411111******1111', id: current.id });
    expect(finished.finishedAt?.getTime()).toBeGreaterThan(START.getTime());
    expect(await read((work) => getTransaction(work, current.id))).toEqual(finished);
    const after = [await totalOf({ status: 'running' }), await totalOf({ status: 'success' })];
    expect(after).toEqual([(before[0] ?? 0) - 1, (before[1] ?? 0) + 1]);
  });

  it('refuses a transaction that has finished, and a failure with a payment', async () => {
    const current = await running();
    await expect(
      write((work) => finishTransaction(work, current, { status: 'fail', parsed: payment().parsed })),
    ).rejects.toMatchObject({ code: 'invalid' });
    const failed = await write((work) => finishTransaction(work, current, { status: 'fail', detail: 'x' }));
    expect(failed).toMatchObject({ status: 'fail', detail: 'x', parsed: null });
    await expect(
      write((work) => finishTransaction(work, failed, { status: 'success' })),
    ).rejects.toMatchObject({ code: 'invalid' });
  });

  it('does not find a transaction of another company', async () => {
    const { firstId } = await record(server, server.beta, [report()]);
    await expect(read((work) => getTransaction(work, firstId ?? 0))).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

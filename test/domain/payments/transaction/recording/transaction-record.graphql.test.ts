import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, statementsFor, type UserErrorShape } from '../../../../support/dashboard.js';
import { fleet, rowsIn, totalIn } from '../../../../support/fleet.js';
import { metricOf } from '../../../../support/gauges.js';
import { expectRefused } from '../../../../support/mutations.js';
import { useServer, type Fields, type Member } from '../../../../support/server.js';
import { FINISH, paymentInput, RECORD, runningInput } from '../records.js';

const server = useServer();
let ingest: Member;
beforeAll(async () => {
  ingest = await server.member('acme', 'operator', ['ingest']);
});

interface Payload {
  readonly transaction: (Fields & { readonly id: string; readonly databaseId: number }) | null;
  readonly repeated: boolean | null;
  readonly userErrors: readonly UserErrorShape[];
}
const record = async (input: Fields, member: Pick<Member, 'graphql'> = ingest): Promise<Payload> =>
  await changed<Payload>(member, RECORD, { input });
const total = () => totalIn(server.acme.client, 'transactions');
const scrubs = (): Promise<number> => metricOf(server.url, 'card_data_scrubs_total');

describe('transactionRecord', () => {
  it('stores every field, which REST, lists and summaries then show', async () => {
    const input = paymentInput({ reference: 'sale é 1' });
    const { transaction, repeated, userErrors } = await record(input);
    expect([repeated, userErrors]).toEqual([false, []]);
    expect(transaction).toMatchObject(input);
    const listed = (await server.acme.client.get('transactions')).list('transactions');
    const parsed = { amount: 9_999_999_999, metadata: { terminal: 'x', deep: { camelCase: [1, null] } } };
    const texts = { serial_number: 'S-1', status: 'success', sent: '0200' };
    expect(listed).toMatchObject([{ id: transaction?.databaseId, ...texts, parsed }]);
    expect(listed[0]).not.toHaveProperty('reference');
    expect(listed[0]?.parsed).not.toHaveProperty('nsu_reference');
    const summary = '{ transactionSummary { count approvedAmount netAmount } }';
    expect(await answered(server.acme, summary)).toEqual({
      transactionSummary: [{ count: 1, approvedAmount: 9_999_999_999, netAmount: 9_999_999_999 }],
    });
  });

  it('accepts what is required only, and records each such call anew', async () => {
    const input = {
      transactionType: 'GET_ASSET',
      serialNumber: 'S-1',
      logicalNumber: 'L-1',
      appName: 'shop.rb',
      status: 'FAIL',
      startedAt: '2026-03-01T09:00:00-03:00',
      finishedAt: '2026-03-01T12:00:01Z',
    };
    const [first, second] = [await record(input), await record(input)];
    const none = { detail: '', parsed: null, sent: null, reference: null };
    expect(first.transaction).toMatchObject({ startedAt: '2026-03-01T12:00:00.000Z', ...none });
    expect(second.repeated).toBe(false);
    expect(second.transaction?.id).not.toBe(first.transaction?.id);
  });

  it('returns the stored transaction for a known reference, also while requests overlap', async () => {
    const input = paymentInput({ reference: 'once', detail: 'pan 4111111111111111' });
    const before = [await total(), await scrubs()];
    const payloads = await Promise.all(Array.from({ length: 8 }, () => record(input)));
    expect([await total(), await scrubs()]).toEqual([(before[0] ?? 0) + 1, (before[1] ?? 0) + 1]);
    expect(payloads.filter(({ repeated }) => repeated === false)).toHaveLength(1);
    expect(new Set(payloads.map(({ transaction }) => JSON.stringify(transaction))).size).toBe(1);
    expect(payloads[0]?.transaction?.detail).toBe('pan 411111******1111');
  });

  it('takes a running transaction again after it has finished', async () => {
    const input = runningInput({ reference: 'started' });
    const { transaction } = await record(input);
    await changed(ingest, FINISH, { id: transaction?.id, input: { status: 'SUCCESS' } });
    const again = await record(input);
    expect(again).toMatchObject({ repeated: true, transaction: { id: transaction?.id, status: 'SUCCESS' } });
    const other = { input: { ...input, appName: 'other' } };
    await expectRefused(ingest, 'transactionRecord', other, 'TAKEN input.reference');
  });

  it.each<[string, Fields, string, RegExp]>([
    ['an empty serial number', { serialNumber: '' }, 'serialNumber', /must not be empty/],
    ['a reference with a line break', { reference: 'a\nb' }, 'reference', /control or invisible/],
    ['a long reference', { reference: 'x'.repeat(129) }, 'reference', /at most 128/],
    ['a card number as the reference', { reference: '4111 1111-11111111' }, 'reference', /card number/],
    ['a card number in the reference', { reference: 'a/4111111111111111' }, 'reference', /card number/],
    ['a detail that is too long', { detail: 'x'.repeat(4097) }, 'detail', /at most 4096/],
  ])('refuses %s and stores nothing', async (_what, overrides, field, message) => {
    const before = await total();
    const input = paymentInput(overrides);
    await expectRefused(ingest, 'transactionRecord', { input }, `INVALID input.${field}`, message);
    expect(await total()).toBe(before);
  });

  it('takes a constant number of statements', async () => {
    const fresh = () => paymentInput({ reference: crypto.randomUUID() });
    const statements = async (): Promise<readonly string[]> =>
      (await server.statements(() => record(fresh()))).statements;
    await statements();
    // The kind of payment is remembered from the second one on.
    await statements();
    expect(await statements()).toHaveLength(4);
    expect(await statementsFor(server, ingest, RECORD, { input: fresh() })).toHaveLength(1);
  });
});

describe('the scope ingest', () => {
  it('gives nothing else: what belongs to the transaction needs the scope read', async () => {
    await fleet.device(server.acme.client, 'S-1');
    const nested =
      'mutation ($input: TransactionInput!) { transactionRecord(input: $input) { transaction { %s } } }';
    for (const field of ['device { serialNumber }', 'app { name }']) {
      const { body } = await ingest.graphql(nested.replace('%s', field), { input: paymentInput() });
      expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
    }
  });
});

const { parsed } = paymentInput({}, { amount: 250 });
const started = async (): Promise<string> =>
  (await changed<{ transaction: { id: string } }>(ingest, RECORD, { input: runningInput() })).transaction.id;
const finish = (id: string, input: Fields, member: Pick<Member, 'graphql'> = ingest) =>
  changed<Pick<Payload, 'transaction' | 'userErrors'>>(member, FINISH, { id, input });
const entries = () => rowsIn(server, 'ledger', "entity_type = 'transaction'");

describe('transactionFinish', () => {
  it('ends a running transaction, with card data masked and counted', async () => {
    const id = await started();
    const input = { status: 'SUCCESS', received: 'pan 4111111111111111', parsed };
    const [before, scrubbed] = [server.clock.now(), await scrubs()];
    const { transaction, userErrors } = await finish(id, input);
    expect(userErrors).toEqual([]);
    const received = 'pan 411111******1111';
    expect(transaction).toMatchObject({ status: 'SUCCESS', received, detail: '', parsed: { amount: 250 } });
    const finishedAt = new Date(String(transaction?.finishedAt));
    expect(finishedAt >= before && finishedAt <= server.clock.now()).toBe(true);
    expect(await scrubs()).toBe(scrubbed + 1);
    const [listed] = (await server.acme.client.get('transactions')).list('transactions');
    expect(listed).toMatchObject({ status: 'success', parsed: { amount: 250 } });
  });

  it('changes nothing if the same result comes again, and refuses another one', async () => {
    const id = await started();
    const input = { status: 'FAIL', detail: 'no 4111111111111111', finishedAt: '2026-03-01T12:00:09.000Z' };
    const first = await finish(id, input);
    const before = await entries();
    server.clock.advance(5_000);
    expect(await finish(id, input)).toEqual(first);
    expect(await finish(id, { status: 'FAIL' })).toEqual(first);
    const later = { ...input, finishedAt: '2026-03-01T12:00:10.000Z' };
    for (const other of [{ status: 'SUCCESS' }, { ...input, detail: 'other' }, later]) {
      const message = 'has been decided already';
      const refusal = 'INVALID input.status';
      await expectRefused(ingest, 'transactionFinish', { id, input: other }, refusal, message);
    }
    expect(await entries()).toBe(before);
  });

  it('refuses what contradicts the transaction, and changes nothing', async () => {
    const id = await started();
    const paid = { id, input: { status: 'FAIL', parsed } };
    await expectRefused(ingest, 'transactionFinish', paid, 'INVALID input.parsed');
    expect((await finish(id, { status: 'SUCCESS', parsed })).userErrors).toEqual([]);
  });
});

describe('RU-72 a transaction that ends before its start, after the clock was set back', () => {
  const finishedAt = '2020-01-01T00:00:00.000Z';
  const warning = 'finishedAt: is before startedAt: was the clock set back?';
  interface Warned {
    readonly transaction: Fields;
    readonly warnings: readonly string[];
  }

  it('is recorded with a warning, alone and in a batch', async () => {
    const input = { ...runningInput(), status: 'FAIL', finishedAt };
    const one = `mutation ($input: TransactionInput!) { transactionRecord(input: $input) {
      transaction { finishedAt } warnings } }`;
    expect(await changed<Warned>(ingest, one, { input })).toEqual({
      transaction: { finishedAt },
      warnings: [warning],
    });
    const bulk = `mutation ($inputs: [TransactionInput!]!) { transactionBulkRecord(inputs: $inputs) {
      count warnings } }`;
    const inputs = [runningInput(), { ...input, reference: null }];
    const recorded = await changed<{ count: number }>(ingest, bulk, { inputs });
    expect(recorded).toEqual({ count: 2, warnings: [`inputs.1.${warning}`] });
  });

  it('is ended with a warning', async () => {
    const id = await started();
    const end = `mutation ($id: ID!, $input: TransactionFinishInput!) { transactionFinish(id: $id, input: $input) {
      transaction { finishedAt } warnings } }`;
    const ended = await changed<Warned>(ingest, end, { id, input: { status: 'FAIL', finishedAt } });
    expect(ended).toEqual({ transaction: { finishedAt }, warnings: [warning] });
  });
});

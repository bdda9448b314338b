import { beforeAll, describe, expect, it } from 'vitest';

import { changed, nodeId, type UserErrorShape } from '../../../../support/dashboard.js';
import { useServer, type Fields, type Member } from '../../../../support/server.js';
import { FINISH, paymentInput, RECORD, runningInput } from './inputs.js';

const server = useServer();
let ingest: Member;
beforeAll(async () => {
  ingest = await server.member('acme', 'operator', ['ingest']);
});

interface Payload {
  readonly transaction: Fields | null;
  readonly userErrors: readonly UserErrorShape[];
}
const { parsed } = paymentInput({}, { amount: 250 });
const started = async (): Promise<string> =>
  (await changed<{ transaction: { id: string } }>(ingest, RECORD, { input: runningInput() })).transaction.id;
const finish = async (
  id: string,
  input: Fields,
  member: Pick<Member, 'graphql'> = ingest,
): Promise<Payload> => await changed<Payload>(member, FINISH, { id, input });
const entries = async (): Promise<number> => {
  const rows = await server.app.database.reads
    .selectFrom('ledger')
    .select('sequence')
    .where('entity_type', '=', 'transaction')
    .execute();
  return rows.length;
};

describe('transactionFinish', () => {
  it('ends a running transaction, with card data masked and counted', async () => {
    const id = await started();
    const input = { status: 'SUCCESS', received: 'pan 4111111111111111', parsed };
    const before = server.clock.now();
    const { transaction, userErrors } = await finish(id, input);
    expect(userErrors).toEqual([]);
    expect(transaction).toMatchObject({
      status: 'SUCCESS',
      received: 'pan 411111******1111',
      detail: '',
      parsed: { amount: 250 },
    });
    const finishedAt = new Date(String(transaction?.finishedAt));
    expect(finishedAt >= before && finishedAt <= server.clock.now()).toBe(true);
    expect((await server.anonymous.get('/metrics')).text).toMatch(/^card_data_scrubs_total 1$/m);
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
    for (const other of [
      { status: 'SUCCESS' },
      { ...input, detail: 'other' },
      { ...input, finishedAt: '2026-03-01T12:00:10.000Z' },
    ]) {
      expect(await finish(id, other)).toEqual({
        transaction: null,
        userErrors: [{ message: 'has been decided already', path: ['input', 'status'], code: 'INVALID' }],
      });
    }
    expect(await entries()).toBe(before);
  });

  it('refuses what contradicts the transaction, and changes nothing', async () => {
    const id = await started();
    const early = await finish(id, { status: 'FAIL', finishedAt: '2020-01-01T00:00:00Z' });
    expect(early.userErrors).toMatchObject([{ path: ['input', 'finishedAt'], code: 'INVALID' }]);
    const paid = await finish(id, { status: 'FAIL', parsed });
    expect(paid.userErrors).toMatchObject([{ path: ['input', 'parsed'], code: 'INVALID' }]);
    expect((await finish(id, { status: 'SUCCESS', parsed })).userErrors).toEqual([]);
  });

  it('AT-12 does not find transactions of another company, nor ids of other types', async () => {
    const id = await started();
    const unknown = [{ message: 'No such transaction.', path: ['id'], code: 'NOT_FOUND' }];
    expect((await finish(id, { status: 'FAIL' }, server.beta)).userErrors).toEqual(unknown);
    expect((await finish(nodeId('Transaction', 9_999), { status: 'FAIL' })).userErrors).toEqual(unknown);
    expect((await finish(nodeId('Device', 1), { status: 'FAIL' })).userErrors).toEqual(unknown);
  });
});

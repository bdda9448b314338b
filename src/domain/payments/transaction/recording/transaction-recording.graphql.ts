import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';

import {
  bulkMutation,
  graphqlModule,
  flag,
  listOf,
  nullable,
  object,
  payloadType,
  recordMutation,
  idOf,
  userErrorsOf,
  type GraphqlContext,
  type Input,
} from '../../../../graphql/index.js';
import { refuseTooManyRows } from '../../../../platform/requests/rows.js';
import { TransactionList, TransactionType } from '../transaction.graphql.js';
import type { Transaction } from '../transaction.model.js';
import { getTransaction } from '../transaction.service.js';
import { finishTransaction } from './transaction-finish.service.js';
import { TransactionFinishInput, TransactionInput } from './transaction-input.graphql.js';
import {
  checkRecords,
  recordTransaction,
  storeRecords,
  type CheckedRecords,
} from './transaction-recording.service.js';

const REPEATS =
  'A known `reference` with the same values returns the stored transaction; with other values it is TAKEN.';

const RecordPayload = payloadType('TransactionRecord', {
  transaction: nullable(
    object(TransactionType, 'The transaction, as it is stored. Null if it was not recorded.'),
  ),
  repeated: nullable(flag('Whether the transaction had been recorded before. Null if it was not recorded.')),
});

@Resolver()
class TransactionRecording {
  @Mutation(() => RecordPayload, {
    description: `Records a transaction of a device. ${REPEATS} Requires the scope INGEST.`,
  })
  transactionRecord(
    @Arg('input', () => TransactionInput, { description: 'The transaction.' }) input: Input,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      const { transaction, repeated } = await recordTransaction(work, input);
      return { transaction, repeated };
    }, 'ingest');
  }

  @recordMutation(
    TransactionList,
    'TransactionFinish',
    'Ends a running transaction. The same result again changes nothing; another one is INVALID. Requires the scope INGEST.',
  )
  transactionFinish(
    @Arg('id', () => ID, { description: 'Global id of the transaction.' }) id: string,
    @Arg('input', () => TransactionFinishInput, { description: 'The result.' }) input: Input,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      const current = await getTransaction(work, idOf('Transaction', id));
      return { transaction: await finishTransaction(work, current, input) };
    }, 'ingest');
  }
}

const bulk = bulkMutation<Input, Transaction, CheckedRecords>({
  name: 'TransactionBulkRecord',
  description: `Records up to 1000 transactions of devices. Rejected rows do not stop the others. ${REPEATS} Requires the scope INGEST.`,
  argument: 'inputs',
  rows: listOf(object(TransactionInput, 'The transactions.')),
  field: 'transaction',
  record: object(TransactionType, 'The transaction, as it is stored. Null if it was rejected.'),
  rowFields: {
    repeated: flag('Whether the transaction had been recorded before, or by an earlier row.'),
  },
  countDescription: 'Number of new transactions, without repeated ones.',
  scope: 'ingest',
  errorPolicy: 'REJECT_FAILED_ROWS',
  prepare: async (inputs) => {
    refuseTooManyRows('inputs', inputs);
    return await checkRecords(inputs);
  },
  run: async (work, checked) => {
    const results = await storeRecords(work, checked);
    return results.map(({ transaction, repeated, problem }, index) => ({
      ...{ index, record: transaction, more: { repeated } },
      counts: transaction !== null && !repeated,
      userErrors: userErrorsOf(problem, ['inputs', String(index)]) ?? [],
    }));
  },
});

export const transactionRecordingGraphql = graphqlModule(TransactionRecording, bulk);

import { useState, type ReactNode } from 'react';

import { noteChange } from '../../api/changes';
import { graphql } from '../../api/graphql';
import { useSubscription } from '../../api/query';
import type { TransactionListQuery } from '../../gql/graphql';
import { findGroups } from '../../record/find';
import { useListAddress } from '../../table/address';
import type { FilterField } from '../../table/filter';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Checkbox } from '../../ui/field';
import { SOURCE, useColumns } from './columns';
import { TransactionPanel } from './transaction-panel';
import { words } from './words';

const RECORDED = graphql(`
  subscription TransactionRecorded($filter: TransactionFilter) {
    transactionRecorded(filter: $filter) { sequence }
  }
`);

type Row = TransactionListQuery['transactions']['nodes'][number];

export default function TransactionsPage(): ReactNode {
  const text = useTexts(words);
  const columns = useColumns();
  const [isLive, setLive] = useState(true);
  const [{ filter }] = useListAddress();
  useSubscription(RECORDED, isLive ? { ...(filter && { filter }) } : null, () => noteChange('TRANSACTION'));
  return (
    <ListPage<TransactionListQuery, Row>
      id="transactions"
      label={text.transactions}
      source={SOURCE}
      initialSort="-STARTED_AT"
      rowName={({ startedAt, serialNumber }) => `${serialNumber} ${startedAt}`}
      columns={columns}
      filters={useFilters()}
      actions={
        <Checkbox isSelected={isLive} onChange={setLive}>
          {text.live}
        </Checkbox>
      }
      panel={(id, close) => <TransactionPanel id={id} onClose={close} />}
      empty={text.none}
    />
  );
}

function useFilters(): readonly FilterField[] {
  const text = useTexts(words);
  const choice = (id: string, title: string, values: readonly (keyof typeof text)[]): FilterField => ({
    id,
    title,
    kind: 'choice',
    options: values.map((value) => ({ value, label: text[value] })),
  });
  return [
    { id: 'nsu', title: 'NSU', kind: 'text', comparator: 'eq' },
    { id: 'authorizationCode', title: text.authorization, kind: 'text', comparator: 'eq' },
    { id: 'amount', title: text.amount, kind: 'amount' },
    { id: 'startedAt', title: text.started, kind: 'time' },
    choice('paymentStatus', text.payment, ['APPROVED', 'DENIED']),
    choice('status', text.state, ['SUCCESS', 'FAIL', 'RUNNING']),
    choice('transactionType', text.type, ['SWITCH', 'GET_ASSET', 'COMPANY']),
    { id: 'logicalNumber', title: text.logicalNumber, kind: 'text', comparator: 'eq' },
    { id: 'serialNumber', title: text.serialNumber, kind: 'text', comparator: 'eq' },
    { id: 'groupId', title: text.group, kind: 'reference', find: findGroups },
    { id: 'brand', title: text.brand, kind: 'text', comparator: 'eq' },
    { id: 'acquirer', title: text.acquirer, kind: 'text', comparator: 'eq' },
    { id: 'paymentMethod', title: text.method, kind: 'text', comparator: 'eq' },
    { id: 'reference', title: text.reference, kind: 'text', comparator: 'eq' },
    { id: 'appName', title: text.app, kind: 'text', comparator: 'eq' },
  ];
}

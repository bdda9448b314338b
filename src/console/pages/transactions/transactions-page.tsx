import { lazy, useMemo, useState, type ReactNode } from 'react';

import { graphql, useSubscription } from '../../api';
import { useListAddress } from '../../table/address';
import { without } from '../../table/filter';
import { ListPage } from '../../table/list-page';
import { Checkbox } from '../../ui/field';
import { COLUMNS, SOURCE } from './columns';
import { useText } from './words';

const TransactionPanel = lazy(() => import('./transaction-panel'));

const RECORDED = graphql(`
  subscription TransactionRecorded($filter: TransactionFilter) {
    transactionRecorded(filter: $filter) { sequence }
  }
`);

export default function TransactionsPage(): ReactNode {
  const text = useText();
  const [isLive, setLive] = useState(true);
  const [{ filter }] = useListAddress();
  // Days of the calendar go on while the page is open, and the filter of a subscription does not.
  const followed = useMemo(() => ({ filter: without(filter ?? {}, 'startedAt') }), [filter]);
  useSubscription(RECORDED, isLive ? followed : null, 'TRANSACTION');
  return (
    <ListPage
      id="transactions"
      text={text}
      source={SOURCE}
      initialSort="-STARTED_AT"
      columns={COLUMNS}
      filters={[
        'nsu',
        'lastDigits',
        'authorizationCode',
        'amount',
        'startedAt',
        { id: 'paymentStatus', title: text.payment, values: ['APPROVED', 'DENIED'] },
        { id: 'status', title: text.state, values: ['SUCCESS', 'FAIL', 'RUNNING'] },
        { id: 'transactionType', values: ['SWITCH', 'GET_ASSET', 'COMPANY'] },
        { id: 'logicalNumber', comparator: 'eq' },
        { id: 'serialNumber', comparator: 'eq' },
        'groupId',
        'brand',
        'acquirer',
        'statusReason',
        'paymentMethod',
        'reference',
        'appName',
      ]}
      actions={
        <Checkbox isSelected={isLive} onChange={setLive}>
          {text.live}
        </Checkbox>
      }
      panel={<TransactionPanel />}
    />
  );
}

import { lazy, useState, type ReactNode } from 'react';

import { graphql, noteOthersChange, useSubscription } from '../../api';
import { findGroups } from '../../record/find';
import { useListAddress } from '../../table/address';
import type { FilterField } from '../../table/filter';
import { ListPage } from '../../table/list-page';
import { optionsOf, type Option } from '../../text';
import { Checkbox } from '../../ui/inputs';
import { SOURCE, useColumns } from './columns';
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
  useSubscription(RECORDED, isLive ? { ...(filter && { filter }) } : null, () =>
    noteOthersChange('TRANSACTION'),
  );
  return (
    <ListPage
      id="transactions"
      source={SOURCE}
      initialSort="-STARTED_AT"
      rowName={({ startedAt, serialNumber }) => `${serialNumber} ${startedAt}`}
      columns={useColumns()}
      filters={useFilters()}
      actions={
        <Checkbox isSelected={isLive} onChange={setLive}>
          {text.live}
        </Checkbox>
      }
      panel={<TransactionPanel />}
      empty={text.noTransactions}
    />
  );
}

function useFilters(): readonly FilterField[] {
  const text = useText();
  const equal = (id: string, title: string): FilterField => ({ id, title, kind: 'text', comparator: 'eq' });
  const choice = (id: string, title: string, options: readonly Option[]): FilterField => ({
    id,
    title,
    kind: 'choice',
    options,
  });
  return [
    equal('nsu', 'NSU'),
    equal('authorizationCode', text.authorization),
    { id: 'amount', title: text.amount, kind: 'amount' },
    { id: 'startedAt', title: text.started, kind: 'time' },
    choice('paymentStatus', text.payment, optionsOf(text, ['APPROVED', 'DENIED'])),
    choice('status', text.state, optionsOf(text, ['SUCCESS', 'FAIL', 'RUNNING'])),
    choice('transactionType', text.type, optionsOf(text, ['SWITCH', 'GET_ASSET', 'COMPANY'])),
    equal('logicalNumber', text.logicalNumber),
    equal('serialNumber', text.serialNumber),
    { id: 'groupId', title: text.group, kind: 'reference', find: findGroups },
    equal('brand', text.brand),
    equal('acquirer', text.acquirer),
    equal('paymentMethod', text.method),
    equal('reference', text.reference),
    equal('appName', text.app),
  ];
}

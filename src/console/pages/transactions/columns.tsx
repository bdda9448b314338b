import { useLocation, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { TransactionRowFragment } from '../../gql/graphql';
import { useListAddress } from '../../table/address';
import type { Column } from '../../table/columns';
import { CompactList } from '../../table/data-table';
import type { Filter } from '../../table/filter';
import { listOf } from '../../table/rows';
import { useFormat } from '../../text/format';
import { Badge } from '../../ui/facts';
import { useText } from './words';

const TRANSACTION = graphql(`
  fragment TransactionRow on Transaction {
    id startedAt status transactionType appName logicalNumber serialNumber
    parsed { amount status nsu card { brand } }
  }
`);

export const SOURCE = listOf(TRANSACTION);

type Row = TransactionRowFragment;

/** Approved or denied for a payment, and for others whether it has ended well. */
export function State({ status, parsed }: Pick<Row, 'status' | 'parsed'>): ReactNode {
  const text = useText();
  if (parsed)
    return <Badge tone={parsed.status === 'APPROVED' ? 'good' : 'bad'}>{text[parsed.status]}</Badge>;
  return <Badge tone={status === 'FAIL' ? 'bad' : 'plain'}>{text[status]}</Badge>;
}

/** Columns of transactions, in the list and beside a record. */
export function useColumns(): readonly Column<Row>[] {
  const text = useText();
  const format = useFormat();
  return [
    { id: 'startedAt', title: text.started, order: 'STARTED_AT', width: 190, kind: 'time' },
    { id: 'state', title: text.state, width: 110, render: (row) => <State {...row} /> },
    {
      id: 'amount',
      title: text.amount,
      order: 'AMOUNT',
      width: 110,
      align: 'end',
      render: ({ parsed }) => parsed && format.amount(parsed.amount),
    },
    { id: 'brand', title: text.brand, width: 110, render: ({ parsed }) => parsed?.card?.brand },
    { id: 'nsu', title: 'NSU', width: 110, render: ({ parsed }) => parsed?.nsu },
    { id: 'logicalNumber', title: text.logicalNumber, width: 120 },
    { id: 'serialNumber', title: text.serialNumber, width: 150, kind: 'code' },
    { id: 'type', title: text.type, width: 110, isHidden: true, render: (row) => text[row.transactionType] },
    { id: 'appName', title: text.app, width: 120, isHidden: true },
  ];
}

/** Transactions of a terminal or of a logical number, the newest first. */
export function TransactionsOf(props: {
  readonly filter: Filter;
  /** Label of the list. */
  readonly label?: string;
}): ReactNode {
  const text = useText();
  const navigate = useNavigate();
  const [address] = useListAddress();
  const isList = useLocation().pathname === '/transactions';
  return (
    <CompactList
      id="terminal-transactions"
      label={props.label ?? text.transactions}
      source={SOURCE}
      fixedFilter={props.filter}
      initialSort="-STARTED_AT"
      onOpen={({ id: open }) =>
        void navigate({ to: '/transactions', search: { ...(isList && address), open } })
      }
      rowName={({ startedAt }) => startedAt}
      columns={useColumns().slice(0, 5)}
      empty={text.noTransactions}
    />
  );
}

import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { fragment } from '../../api/graphql';
import type { TransactionRowFragment } from '../../gql/graphql';
import { RecordLink } from '../../record/link';
import { useReason } from '../../record/reason';
import { useListAddress } from '../../table/address';
import { CompactList } from '../../table/data-table';
import type { Filter } from '../../table/filter';
import { listOf } from '../../table/rows';
import { Shown, State, type Column } from '../../table/shown';
import { useText } from './words';

const TRANSACTION = fragment(`
  fragment TransactionRow on Transaction {
    id startedAt status transactionType appName logicalNumber serialNumber
    parsed { amount status statusReason nsu card { brand } }
    device { id serialNumber }
    app { id name }
  }
`);

export const SOURCE = listOf(TRANSACTION);

/** Approved or denied for a payment, and for others whether it has ended well. */
export const stateOf = ({ status, parsed }: Pick<TransactionRowFragment, 'status' | 'parsed'>): ReactNode => (
  <State of={parsed?.status ?? status} />
);

function Reason({ code }: { readonly code: string | null | undefined }): ReactNode {
  const reason = useReason();
  return typeof code === 'string' ? reason(code) : null;
}

/** Leads to the logical number of a payment, which has it as a text. */
export function NumberLink({ number }: { readonly number: string }): ReactNode {
  return (
    <Link to="/logical-numbers" search={{ filter: { number: { eq: number } } }}>
      {number}
    </Link>
  );
}

/** Columns of transactions, in the list and beside a record. */
export const COLUMNS: readonly Column<TransactionRowFragment>[] = [
  'startedAt',
  { id: 'amount', render: ({ parsed }) => parsed && <Shown name="amount" record={parsed} /> },
  { id: 'state', render: stateOf },
  { id: 'brand', render: ({ parsed }) => parsed?.card?.brand },
  { id: 'nsu', render: ({ parsed }) => parsed?.nsu },
  { id: 'logicalNumber', render: ({ logicalNumber }) => <NumberLink number={logicalNumber} /> },
  {
    id: 'serialNumber',
    render: ({ device, serialNumber }) =>
      device ? <RecordLink page="/devices" record={device} /> : serialNumber,
  },
  { id: 'statusReason', render: ({ parsed }) => <Reason code={parsed?.statusReason} />, isHidden: true },
  { id: 'transactionType', isHidden: true },
  {
    id: 'appName',
    render: ({ app, appName }) => (app ? <RecordLink page="/apps" record={app} /> : appName),
    isHidden: true,
  },
];

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
      text={text}
      label={props.label ?? text.transactions}
      source={SOURCE}
      fixedFilter={props.filter}
      initialSort="-STARTED_AT"
      onOpen={({ id: open }) =>
        void navigate({ to: '/transactions', search: { ...(isList && address), open } })
      }
      columns={COLUMNS.slice(0, 5)}
      empty={text.noTransactions}
    />
  );
}

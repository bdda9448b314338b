import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import type { TransactionRecordQuery } from '../../gql/graphql';
import { RecordLink } from '../../record/link';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { useFormat } from '../../text/format';
import { Facts, Time } from '../../ui/facts';
import { State, TransactionsOf } from './columns';
import { useText } from './words';

const TRANSACTION = graphql(`
  query TransactionRecord($id: ID!) {
    transaction(id: $id) {
      id
      startedAt
      finishedAt
      status
      transactionType
      appName
      logicalNumber
      serialNumber
      reference
      detail
      sent
      received
      device { id serialNumber }
      parsed {
        amount
        status
        statusReason
        type
        nsu
        authorizationCode
        acquirer
        paymentMethod
        captureMethod
        card { brand firstDigits lastDigits }
        installment { quantity }
      }
    }
  }
`);

type Transaction = NonNullable<TransactionRecordQuery['transaction']>;

/** A transaction, its payment, its messages, and the other ones of its terminal. */
export default function TransactionPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const format = useFormat();
  const query = useQuery(TRANSACTION, { id });
  return (
    <RecordPanel
      query={query}
      record={({ transaction }) => transaction}
      title={({ parsed, transactionType }) =>
        parsed ? `${text.payment} ${format.amount(parsed.amount)}` : text[transactionType]
      }
      onClose={onClose}
      tabs={(transaction) => [
        { id: 'facts', title: text.payment, content: <TransactionFacts transaction={transaction} /> },
        {
          id: 'terminal',
          title: text.sameTerminal,
          content: (
            <TransactionsOf
              label={text.sameTerminal}
              filter={{ serialNumber: { eq: transaction.serialNumber } }}
            />
          ),
        },
        {
          id: 'messages',
          title: text.messages,
          content: (
            <Facts
              facts={[
                { name: text.sent, value: <Message text={transaction.sent} /> },
                { name: text.received, value: <Message text={transaction.received} /> },
              ]}
            />
          ),
        },
      ]}
    />
  );
}

function TransactionFacts({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const text = useText();
  const format = useFormat();
  const { parsed, device } = transaction;
  const payment = parsed && [
    { name: text.amount, value: format.amount(parsed.amount) },
    { name: text.type, value: parsed.type },
    { name: text.reason, value: parsed.statusReason },
    { name: 'NSU', value: parsed.nsu },
    { name: text.authorization, value: parsed.authorizationCode },
    { name: text.acquirer, value: parsed.acquirer },
    { name: text.method, value: parsed.paymentMethod },
    { name: text.capture, value: parsed.captureMethod },
    { name: text.brand, value: parsed.card?.brand },
    {
      name: text.card,
      value: parsed.card?.lastDigits && `${parsed.card.firstDigits ?? ''}…${parsed.card.lastDigits}`,
    },
    { name: text.installments, value: format.number(parsed.installment.quantity ?? 1) },
  ];
  return (
    <Facts
      facts={[
        { name: text.state, value: <State {...transaction} /> },
        ...(payment ?? []),
        { name: text.started, value: <Time at={transaction.startedAt} /> },
        { name: text.finished, value: transaction.finishedAt && <Time at={transaction.finishedAt} /> },
        { name: text.logicalNumber, value: transaction.logicalNumber },
        {
          name: text.device,
          value: device ? <RecordLink page="/devices" record={device} /> : transaction.serialNumber,
        },
        { name: text.app, value: transaction.appName },
        { name: text.reference, value: transaction.reference },
        { name: text.detail, value: transaction.detail },
      ]}
    />
  );
}

const Message = ({ text }: { readonly text: string | null }): ReactNode =>
  text === null ? '–' : <pre className="code">{text}</pre>;

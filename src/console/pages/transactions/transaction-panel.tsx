import type { ReactNode } from 'react';

import { graphql } from '../../api';
import type { TransactionRecordFragment as Transaction } from '../../gql/graphql';
import { RecordLink } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { useFormat } from '../../text/format';
import { Facts, Time, type Fact } from '../../ui/facts';
import { State, TransactionsOf } from './columns';
import { useText } from './words';

const TRANSACTION = graphql(`
  fragment TransactionRecord on Transaction {
    id startedAt finishedAt status transactionType appName logicalNumber serialNumber reference
    detail sent received
    device { id serialNumber }
    parsed {
      amount status statusReason type nsu authorizationCode acquirer paymentMethod captureMethod
      card { brand firstDigits lastDigits }
      installment { quantity }
    }
  }
`);

/** A transaction, its payment, its messages, and the other ones of its terminal. */
export default function TransactionPanel(): ReactNode {
  const text = useText();
  const format = useFormat();
  const factsOf = useFactsOf();
  return (
    <RecordPanel
      fragment={TRANSACTION}
      title={({ parsed, transactionType }) =>
        parsed ? `${text.payment} ${format.amount(parsed.amount)}` : text[transactionType]
      }
      tabs={(transaction) => [
        { facts: factsOf(transaction) },
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

/** Fields of a transaction, and of its payment if it has one. */
function useFactsOf(): (transaction: Transaction) => readonly Fact[] {
  const text = useText();
  const format = useFormat();
  const ofPayment = ({ card, ...payment }: NonNullable<Transaction['parsed']>): readonly Fact[] => [
    { name: text.amount, value: format.amount(payment.amount) },
    { name: text.type, value: payment.type },
    { name: text.reason, value: payment.statusReason },
    { name: 'NSU', value: payment.nsu },
    { name: text.authorization, value: payment.authorizationCode },
    { name: text.acquirer, value: payment.acquirer },
    { name: text.method, value: payment.paymentMethod },
    { name: text.capture, value: payment.captureMethod },
    { name: text.brand, value: card?.brand },
    { name: text.card, value: card?.lastDigits && `${card.firstDigits ?? ''}…${card.lastDigits}` },
    { name: text.installments, value: format.number(payment.installment.quantity ?? 1) },
  ];
  return ({ device, parsed, ...transaction }) => [
    { name: text.state, value: <State status={transaction.status} parsed={parsed} /> },
    ...(parsed ? ofPayment(parsed) : []),
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
  ];
}

const Message = ({ text }: { readonly text: string | null }): ReactNode =>
  text === null ? '–' : <pre className="code">{text}</pre>;

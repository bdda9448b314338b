import type { ReactNode } from 'react';

import { fragment } from '../../api';
import { useHistoryValue } from '../../record/history-values';
import { RecordPanel } from '../../record/panel';
import { useReason } from '../../record/reason';
import { Facts, factsOf } from '../../table/shown';
import { useFormat } from '../../text';
import { NumberLink, stateOf, TransactionsOf } from './columns';
import { useText } from './words';

const TRANSACTION = fragment(`
  fragment TransactionRecord on Transaction {
    id startedAt finishedAt status transactionType appName logicalNumber serialNumber reference
    detail sent received
    device { id serialNumber }
    app { id name }
    parsed {
      amount status type statusReason nsu authorizationCode acquirer paymentMethod captureMethod
      card { brand firstDigits lastDigits }
      installment { quantity }
    }
  }
`);

/** A transaction, its payment, its messages, and the other ones of its terminal. */
export default function TransactionPanel(): ReactNode {
  const text = useText();
  const format = useFormat();
  const reason = useReason();
  const say = useHistoryValue();
  return (
    <RecordPanel
      fragment={TRANSACTION}
      title={({ parsed, transactionType }) =>
        parsed ? `${text.payment} ${format.amount(parsed.amount)}` : text[transactionType]
      }
      tabs={({ parsed, ...transaction }) => {
        const { card } = parsed ?? {};
        const payment = parsed && {
          ...parsed,
          type: say('type', parsed.type),
          paymentMethod: parsed.paymentMethod && say('paymentMethod', parsed.paymentMethod),
          captureMethod: parsed.captureMethod && say('captureMethod', parsed.captureMethod),
          card: card?.lastDigits && `${card.firstDigits ?? ''}…${card.lastDigits}`,
          brand: card?.brand,
          installment: parsed.installment.quantity ?? 1,
          statusReason: parsed.statusReason && reason(parsed.statusReason),
        };
        return {
          facts: (
            <Facts
              record={transaction}
              facts={[
                { id: 'state', value: stateOf({ ...transaction, parsed }) },
                ...(payment ? factsOf(payment, 'status') : []),
                'startedAt',
                ...(transaction.finishedAt === null ? [] : (['finishedAt'] as const)),
                { id: 'logicalNumber', value: <NumberLink number={transaction.logicalNumber} /> },
                transaction.device ? 'device' : 'serialNumber',
                transaction.app ? 'app' : 'appName',
                'reference',
                'detail',
              ]}
            />
          ),
          sameTerminal: (
            <TransactionsOf
              label={text.sameTerminal}
              filter={{ serialNumber: { eq: transaction.serialNumber } }}
            />
          ),
          messages: (
            <Facts
              facts={(['sent', 'received'] as const).map((id) => ({
                id,
                value: transaction[id] && <pre className="code">{transaction[id]}</pre>,
              }))}
            />
          ),
        };
      }}
    />
  );
}

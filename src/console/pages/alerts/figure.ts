import type { AlertRecordFragment as Alert } from '../../gql/graphql';
import { useFormat } from '../../text';
import { useText } from './words';

export type Figure = Alert['figures'][number];

/** Says what an alert of a kind has found: "Approved 41% of 56 payments, Nov 29, 2026, 2:00 – 3:00 PM", or "12%". */
export function useFigure(kind: string): (figure: Figure) => string {
  const text = useText();
  const format = useFormat();
  return ({ value, payments, from, to }) => {
    const time = from === null || to === null ? '' : format.range(from, to);
    const rest = [format.number(payments ?? 0), time] as const;
    switch (kind) {
      case 'noPayments':
        return text.noneSince(from === null ? '' : format.time(from));
      case 'lowApproval':
        return text.approvedOf(format.share((value ?? 0) / 100), ...rest);
      case 'highSales':
        return text.salesOf(format.amount(value ?? 0), ...rest);
      case 'largePayments':
        return text.largestOf(format.amount(value ?? 0), ...rest);
      default:
        return format.share((value ?? 0) / 100);
    }
  };
}

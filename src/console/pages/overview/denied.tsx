import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import type { DeniedTodayQuery } from '../../gql/graphql';
import { useFormat } from '../../text';
import { Card } from '../../ui/page';
import { PageFailure } from '../../ui/states';
import { useText } from './words';

/** Apart from the overview: it reads the payments of the day one by one, and not again at each new payment. */
const DENIED = graphql(`
  query DeniedToday($filter: TransactionFilter!) {
    terminals: transactionSummary(
      filter: $filter, by: [SERIAL_NUMBER], orderBy: { field: DENIED_PERCENT, direction: DESC }, first: 5, minPayments: 10
    ) { ...DeniedRow }
    groups: transactionSummary(
      filter: $filter, by: [GROUP], orderBy: { field: DENIED_PERCENT, direction: DESC }, first: 5, minPayments: 10
    ) { ...DeniedRow }
  }

  fragment DeniedRow on TransactionSummaryRow {
    serialNumber group { id name } approvedCount deniedCount cancelledCount deniedPercent
  }
`);

type Row = DeniedTodayQuery['terminals'][number];

/** Where a list goes on: a ranking by this. */
const LISTS = { terminals: 'SERIAL_NUMBER', groups: 'GROUP' } as const;

/** Terminals and groups whose payments were denied most today; nothing while none was denied. */
export function DeniedMost({ from }: { readonly from: string }): ReactNode {
  const text = useText();
  const { data, error, reload } = useQuery(DENIED, {
    filter: { startedAt: { gte: from }, transactionType: { eq: 'SWITCH' } },
  });
  const lists = (['terminals', 'groups'] as const).map((name) => ({
    name,
    rows: data?.[name].filter(({ deniedCount }) => deniedCount > 0) ?? [],
  }));
  if (error) {
    return (
      <Card title={text.deniedMost}>
        <PageFailure error={error} onRetry={reload} />
      </Card>
    );
  }
  if (lists.every(({ rows }) => rows.length === 0)) return null;
  return (
    <Card title={text.deniedMost}>
      <div className="columns">
        {lists.map(({ name, rows }) => (
          <table key={name} className="plain-table">
            <caption>
              <Link to="/rankings" search={{ by: LISTS[name], interval: 'TODAY' }}>
                {text[name]}
              </Link>
            </caption>
            <tbody>
              {rows.map((row) => (
                <DeniedRow key={row.serialNumber ?? row.group?.id} row={row} from={from} />
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </Card>
  );
}

function DeniedRow({ row, from }: { readonly row: Row; readonly from: string }): ReactNode {
  const text = useText();
  const format = useFormat();
  const { serialNumber, group, approvedCount, deniedCount, cancelledCount, deniedPercent } = row;
  const own =
    serialNumber === null
      ? { groupId: group ? { eq: group.id } : { isNull: true } }
      : { serialNumber: { eq: serialNumber } };
  const filter = { startedAt: { gte: from }, paymentStatus: { eq: 'DENIED' }, ...own };
  return (
    <tr>
      <th scope="row">
        <Link to="/transactions" search={{ filter }}>
          {serialNumber ?? group?.name ?? text.none}
        </Link>
      </th>
      <td className="end">{format.share((deniedPercent ?? 0) / 100)}</td>
      <td className="end">
        {text.ofPayments(
          format.number(deniedCount),
          format.number(approvedCount + deniedCount + cancelledCount),
        )}
      </td>
    </tr>
  );
}

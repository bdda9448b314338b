import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { OverviewQuery } from '../../gql/graphql';
import type { Filter } from '../../table/filter';
import { useFormat } from '../../text/format';
import { Section } from '../../ui/facts';
import { PresenceBadge } from '../devices/presence';
import { useText } from './words';

interface Row {
  readonly key: string;
  readonly name: ReactNode;
  readonly count: number;
  readonly filter: Filter;
}

/** Rows that a list shows; the others are behind its link. */
const SHOWN = 8;

/** The fleet by presence, framework version and group; each row leads to its devices. */
export function Fleet({ summary }: { readonly summary: OverviewQuery['deviceSummary'] }): ReactNode {
  const text = useText();
  const byPresence = summary.byPresence.map(({ presence, count }) => ({
    key: presence,
    name: <PresenceBadge presence={presence} />,
    count,
    filter: { presence: { eq: presence } },
  }));
  const byVersion = summary.byFrameworkVersion.map(({ value, count }) => ({
    key: value ?? '',
    name: value ?? text.none,
    count,
    filter: { frameworkVersion: value === null ? { isNull: true } : { eq: value } },
  }));
  const byGroup = summary.byGroup.map(({ group, count }) => ({
    key: group?.id ?? '',
    name: group?.name ?? text.none,
    count,
    filter: { group: group ? { eq: group.id } : { isNull: true } },
  }));
  return (
    <div className="cards">
      <Counts title={text.byPresence} rows={byPresence} total={summary.total} />
      <Counts title={text.byVersion} rows={byVersion} total={summary.total} />
      <Counts title={text.byGroup} rows={byGroup} total={summary.total} />
    </div>
  );
}

function Counts(props: {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly total: number;
}): ReactNode {
  const format = useFormat();
  const { rows, total } = props;
  return (
    <div className="card">
      <Section title={props.title}>
        <table className="plain-table bars">
          <tbody>
            {rows.slice(0, SHOWN).map(({ key, name, count, filter }) => (
              <tr key={key}>
                <th scope="row">
                  <Link to="/devices" search={{ filter }}>
                    {name}
                  </Link>
                </th>
                <td className="bar">
                  <meter value={count} max={Math.max(total, 1)} aria-hidden="true" />
                </td>
                <td className="end">{format.number(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
    </div>
  );
}

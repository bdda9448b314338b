import { useMemo, type ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import type {
  RankingQueryVariables,
  TransactionSummaryDimension,
  TransactionSummaryOrderField,
} from '../../gql/graphql';
import { useAddress } from '../../table/address';
import type { Filter } from '../../table/filter';
import { useLabel, useLocale } from '../../text';
import { INTERVALS, intervalOf, type Interval } from '../../text/zone';
import { Choice } from '../../ui/field';
import { Page, ZoneNote } from '../../ui/page';
import { Empty, Loading, PageFailure } from '../../ui/states';
import { type Figure, Ranked, type Property, type Row } from './ranked';
import { useText } from './words';

const RANKING = graphql(`
  query Ranking(
    $filter: TransactionFilter!, $by: [TransactionSummaryDimension!]!, $orderBy: TransactionSummaryOrder
    $first: Int!, $minPayments: Int!
  ) {
    transactionSummary(
      filter: $filter, by: $by, orderBy: $orderBy, first: $first, minPayments: $minPayments
    ) {
      serialNumber logicalNumber appName statusReason acquirer brand group { id name } groupDatabaseId
      approvedCount deniedCount cancelledCount deniedPercent approvedAmount
    }
  }
`);

const PROPERTIES = {
  SERIAL_NUMBER: { of: (row) => row.serialNumber, condition: 'serialNumber' },
  LOGICAL_NUMBER: { of: (row) => row.logicalNumber, condition: 'logicalNumber' },
  GROUP: { of: (row) => row.group?.id ?? null, condition: 'groupId' },
  APP_NAME: { of: (row) => row.appName, condition: 'appName' },
  STATUS_REASON: { of: (row) => row.statusReason, condition: 'statusReason', isReason: true },
  ACQUIRER: { of: (row) => row.acquirer, condition: 'acquirer' },
  BRAND: { of: (row) => row.brand, condition: 'brand' },
} as const satisfies Partial<Record<TransactionSummaryDimension, Property>>;

const NAMES = [
  'SERIAL_NUMBER',
  'LOGICAL_NUMBER',
  'GROUP',
  'APP_NAME',
  'STATUS_REASON',
  'ACQUIRER',
  'BRAND',
] as const satisfies readonly (keyof typeof PROPERTIES)[];
const ORDERS = [
  'DENIED_PERCENT',
  'DENIED_COUNT',
  'APPROVED_COUNT',
  'APPROVED_AMOUNT',
] as const satisfies readonly TransactionSummaryOrderField[];
const ORDERED: Readonly<Record<(typeof ORDERS)[number], Figure>> = {
  DENIED_PERCENT: 'share',
  DENIED_COUNT: 'denied',
  APPROVED_COUNT: 'approved',
  APPROVED_AMOUNT: 'amount',
};
const DIRECTIONS = ['DESC', 'ASC'] as const;
/** Payments that a row has at least: with few, a share says little. */
const LEAST = ['1', '10', '100'] as const;
const SHOWN = 20;

/** A part of the address, if it is one of these; otherwise the first. */
const oneOf = <Value extends string>(values: readonly [Value, ...Value[]], given: unknown): Value =>
  values.find((value) => value === given) ?? values[0];

const chosenIn = (search: Readonly<Record<string, unknown>>) => ({
  by: oneOf(NAMES, search.by),
  interval: oneOf(INTERVALS, search.interval),
  order: oneOf(ORDERS, search.order),
  direction: oneOf(DIRECTIONS, search.direction),
  least: oneOf(LEAST, search.least),
});
type Choices = ReturnType<typeof chosenIn>;

/** Whose payments were denied most, or sold most, in a time, beside the time before. Each row leads to its payments. */
export default function RankingsPage(): ReactNode {
  const text = useText();
  const [search, change] = useAddress();
  const chosen = chosenIn(search);
  return (
    <Page name="rankings" text={text} note={<ZoneNote />}>
      <Choices chosen={chosen} onChange={(changed) => change(changed, { replace: true })} />
      <Ranking key={JSON.stringify(chosen)} chosen={chosen} />
    </Page>
  );
}

function Ranking({ chosen }: { readonly chosen: Choices }): ReactNode {
  const text = useText();
  const { timeZone } = useLocale();
  const { by, interval, order, direction, least } = chosen;
  const times = useMemo(() => intervalOf(interval, timeZone), [interval, timeZone]);
  const variables = useMemo(
    (): RankingQueryVariables => ({
      by: [by],
      filter: paidIn(times),
      orderBy: { field: order, direction },
      first: SHOWN,
      minPayments: Number(least),
    }),
    [by, times, order, direction, least],
  );
  const { data, error, reload } = useQuery(RANKING, variables);
  const rows = data?.transactionSummary;
  const property = PROPERTIES[by];
  const before = useBefore(variables, rows, property, times.before);
  if (error) return <PageFailure error={error} onRetry={reload} />;
  if (!rows) return <Loading />;
  if (rows.length === 0) return <Empty>{text.noPayments}</Empty>;
  return (
    <Ranked
      title={text[interval]}
      name={text[by]}
      property={property}
      {...{ rows, before }}
      filter={paidIn(times)}
      ordered={ORDERED[order]}
    />
  );
}

const paidIn = ({ from, to }: Pick<Interval, 'from' | 'to'>): Filter => ({
  startedAt: { gte: from, lt: to },
  transactionType: { eq: 'SWITCH' },
});

/** The rows of the same values in the time before. */
function useBefore(
  variables: RankingQueryVariables,
  rows: readonly Row[] | undefined,
  { of, condition }: Property,
  times: Interval['before'],
): readonly Row[] {
  const asked = useMemo(() => {
    const values = rows?.flatMap((row) => of(row) ?? []) ?? [];
    if (values.length === 0) return null;
    const filter = { ...paidIn(times), [condition]: { in: values } };
    return { ...variables, filter, minPayments: 0 };
  }, [variables, rows, of, condition, times]);
  return useQuery(RANKING, asked).data?.transactionSummary ?? [];
}

interface ChoicesProps {
  readonly chosen: Choices;
  readonly onChange: (changed: Partial<Record<keyof Choices, string>>) => void;
}

function Choices({ chosen, onChange }: ChoicesProps): ReactNode {
  const text = useText();
  const label = useLabel();
  const choice = (name: keyof Choices, values: readonly string[]): ReactNode => (
    <Choice
      key={name}
      label={text[name]}
      options={values.map((value) => ({ value, label: label(value) }))}
      value={chosen[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <div className="choices">
      {choice('by', NAMES)}
      {choice('interval', INTERVALS)}
      {choice('order', ORDERS)}
      {choice('direction', DIRECTIONS)}
      {choice('least', LEAST)}
    </div>
  );
}

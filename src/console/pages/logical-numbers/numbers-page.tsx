import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMay } from '../../app/session';
import type { LogicalNumberListQuery } from '../../gql/graphql';
import { findAppVersions, findGroups } from '../../record/find';
import { RecordLinks } from '../../record/link';
import { useListAddress } from '../../table/address';
import type { Column } from '../../table/columns';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { NumberActions } from './number-actions';
import { NewNumber } from './number-form';
import { words } from './words';

const NumberPanel = lazy(() => import('./number-panel'));

const NUMBERS = graphql(`
  query LogicalNumberList(
    $first: Int!, $after: String, $filter: LogicalNumberFilter, $orderBy: LogicalNumberOrder, $count: Boolean!
  ) {
    logicalNumbers(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        number
        updatedAt
        group { id name }
        appVersions(first: 0) { totalCount }
        devices(first: 2) {
          nodes { id serialNumber }
        }
      }
    }
  }
`);

type Row = LogicalNumberListQuery['logicalNumbers']['nodes'][number];

const SOURCE = { document: NUMBERS, follows: ['LOGICAL_NUMBER', 'DEVICE', 'GROUP'] } as const;

export default function NumbersPage(): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [, change] = useListAddress();
  return (
    <ListPage
      id="logical-numbers"
      label={text.numbers}
      source={SOURCE}
      rowName={({ number }) => number}
      columns={columnsOf(text)}
      filters={[
        { id: 'number', title: text.number, kind: 'text', comparator: 'startsWith' },
        { id: 'groupId', title: text.group, kind: 'reference', find: findGroups },
        { id: 'hasDevice', title: text.hasDevice, kind: 'flag' },
        {
          id: 'version',
          title: text.hasVersion,
          kind: 'reference',
          comparator: 'eq',
          find: findAppVersions,
        },
        { id: 'createdAt', title: text.created, kind: 'time' },
      ]}
      {...(mayWrite && {
        selectionActions: (rows: readonly Row[], clear: () => void) => (
          <NumberActions targets={rows.map(({ id, number }) => ({ id, name: number }))} onDone={clear} />
        ),
      })}
      create={{
        label: text.newNumber,
        dialog: (close) => (
          <NewNumber onClose={close} onCreated={(id) => change({ open: id, tab: undefined })} />
        ),
      }}
      panel={(id, close) => <NumberPanel id={id} onClose={close} />}
      empty={text.noNumbers}
    />
  );
}

const columnsOf = (text: typeof words.en): readonly Column<Row>[] => [
  {
    id: 'number',
    title: text.number,
    order: 'NUMBER',
    width: 140,
    kind: 'code',
  },
  { id: 'group', title: text.group, width: 180, page: '/groups' },
  {
    id: 'devices',
    title: text.devices,
    width: 220,
    render: ({ devices }) => <RecordLinks page="/devices" records={devices.nodes} />,
  },
  {
    id: 'appVersions',
    title: text.appVersions,
    width: 110,
    kind: 'count',
  },
  {
    id: 'updatedAt',
    title: text.updated,
    order: 'UPDATED_AT',
    width: 140,
    kind: 'ago',
  },
];

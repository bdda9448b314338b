import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { LogicalNumberListQuery } from '../../gql/graphql';
import { findAppVersions, findGroups } from '../../record/find';
import { RecordLinks } from '../../record/link';
import type { Column } from '../../table/columns';
import { ListPage } from '../../table/list-page';
import { useNewNumber, useNumberActions } from './number-actions';
import { useText } from './words';

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
        devices(first: 2) { nodes { id serialNumber } }
      }
    }
  }
`);

export const SOURCE = { document: NUMBERS, follows: ['LOGICAL_NUMBER', 'DEVICE', 'GROUP'] } as const;

/** Columns of logical numbers, in the list and in the record of a group. */
export function useColumns(): readonly Column<LogicalNumberListQuery['logicalNumbers']['nodes'][number]>[] {
  const text = useText();
  return [
    { id: 'number', title: text.number, order: 'NUMBER', width: 140, kind: 'code' },
    { id: 'group', title: text.group, width: 180, page: '/groups' },
    {
      id: 'devices',
      title: text.devices,
      width: 220,
      render: ({ devices }) => <RecordLinks page="/devices" records={devices.nodes} />,
    },
    { id: 'appVersions', title: text.appVersions, width: 110, kind: 'count' },
    { id: 'updatedAt', title: text.updated, order: 'UPDATED_AT', width: 140, kind: 'ago' },
  ];
}

export default function NumbersPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="logical-numbers"
      label={text.logicalNumbers}
      source={SOURCE}
      rowName={({ number }) => number}
      columns={useColumns()}
      filters={[
        { id: 'number', title: text.number, kind: 'text', comparator: 'startsWith' },
        { id: 'groupId', title: text.group, kind: 'reference', find: findGroups },
        { id: 'hasDevice', title: text.hasDevice, kind: 'flag' },
        { id: 'version', title: text.hasVersion, kind: 'reference', comparator: 'eq', find: findAppVersions },
        { id: 'createdAt', title: text.created, kind: 'time' },
      ]}
      rowActions={useNumberActions()}
      create={useNewNumber()}
      panel={(id, close) => <NumberPanel id={id} onClose={close} />}
      empty={text.noNumbers}
    />
  );
}

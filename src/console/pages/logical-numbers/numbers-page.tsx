import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { LogicalNumberRowFragment } from '../../gql/graphql';
import { findAppVersions, findGroups } from '../../record/find';
import { RecordLinks } from '../../record/link';
import type { Column } from '../../table/columns';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { useNewNumber, useNumberActions } from './number-actions';
import { useText } from './words';

const NumberPanel = lazy(() => import('./number-panel'));

const NUMBER = graphql(`
  fragment LogicalNumberRow on LogicalNumber {
    id number updatedAt
    group { id name }
    appVersions(first: 0) { totalCount }
    devices(first: 2) { nodes { id serialNumber } }
  }
`);

export const SOURCE = listOf(NUMBER, 'DEVICE', 'GROUP');

/** Columns of logical numbers, in the list and in the record of a group. */
export function useColumns(): readonly Column<LogicalNumberRowFragment>[] {
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
      source={SOURCE}
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
      panel={<NumberPanel />}
      empty={text.noNumbers}
    />
  );
}

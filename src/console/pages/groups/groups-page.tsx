import { lazy, type ReactNode } from 'react';

import { graphql, mutations } from '../../api';
import { creating } from '../../record/dialog-button';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { useText } from './words';

const GroupPanel = lazy(() => import('./group-panel'));

const GROUP = graphql(`
  fragment GroupRow on Group {
    id name updatedAt
    logicalNumbers(first: 0) { totalCount }
    appVersions(first: 0) { totalCount }
    parameters(first: 0) { totalCount }
  }
`);

export default function GroupsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="groups"
      source={listOf(GROUP, 'LOGICAL_NUMBER', 'PARAMETER')}
      columns={[
        { id: 'name', title: text.name, order: 'NAME', width: 220 },
        { id: 'logicalNumbers', title: text.logicalNumbers, width: 120, kind: 'count' },
        { id: 'appVersions', title: text.appVersions, width: 120, kind: 'count' },
        { id: 'parameters', title: text.parameters, width: 120, kind: 'count' },
        { id: 'updatedAt', title: text.updated, order: 'UPDATED_AT', width: 140, kind: 'ago' },
      ]}
      filters={[{ id: 'name', title: text.name, kind: 'text' }]}
      create={creating({
        title: text.newGroup,
        draft: 'group',
        empty: EMPTY,
        fields: [{ name: 'name', label: text.name }],
        document: mutations.groupCreate,
        opens: true,
      })}
      panel={<GroupPanel />}
      empty={text.noGroups}
    />
  );
}

const EMPTY = { name: '' };

import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { nameOf } from '../../record/link';
import { ListPage } from '../../table/list-page';
import { useText } from './words';

const VersionPanel = lazy(() => import('./version-panel'));

const VERSIONS = graphql(`
  query AppVersionList(
    $first: Int!, $after: String, $filter: AppVersionFilter, $orderBy: AppVersionOrder, $count: Boolean!
  ) {
    appVersions(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes {
        id
        number
        size
        createdAt
        app { id name }
        reach { granted current }
      }
    }
  }
`);

export default function VersionsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="app-versions"
      label={text.appVersions}
      source={{ document: VERSIONS, follows: ['APP_VERSION', 'APP', 'LOGICAL_NUMBER'] }}
      initialSort="-CREATED_AT"
      rowName={nameOf}
      columns={[
        { id: 'app', title: text.app, width: 180, render: ({ app }) => app.name },
        { id: 'number', title: text.number, order: 'NUMBER', width: 110 },
        {
          id: 'granted',
          title: text.granted,
          width: 120,
          align: 'end',
          render: ({ reach }) => reach.granted,
        },
        {
          id: 'current',
          title: text.current,
          width: 150,
          align: 'end',
          render: ({ reach }) => reach.current,
        },
        { id: 'size', title: text.size, width: 100, kind: 'bytes' },
        { id: 'createdAt', title: text.created, order: 'CREATED_AT', width: 140, kind: 'ago' },
      ]}
      filters={[
        { id: 'number', title: text.number, kind: 'text', comparator: 'startsWith' },
        { id: 'createdAt', title: text.created, kind: 'time' },
      ]}
      panel={(id, close) => <VersionPanel id={id} onClose={close} />}
      empty={text.noVersions}
    />
  );
}

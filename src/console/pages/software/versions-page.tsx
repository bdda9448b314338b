import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { useText } from './words';

const VersionPanel = lazy(() => import('./version-panel'));

const VERSION = graphql(`
  fragment AppVersionRow on AppVersion {
    id number size createdAt
    app { id name }
    reach { granted current }
  }
`);

export default function VersionsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="app-versions"
      source={listOf(VERSION, 'APP', 'LOGICAL_NUMBER')}
      initialSort="-CREATED_AT"
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
      panel={<VersionPanel />}
      empty={text.noVersions}
    />
  );
}

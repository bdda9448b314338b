import { lazy, type ReactNode } from 'react';

import { fragment } from '../../api/graphql';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { useText } from './words';

const VersionPanel = lazy(() => import('./version-panel'));

const VERSION = fragment(`
  fragment AppVersionRow on AppVersion {
    id number size createdAt
    app { name }
    reach { granted current }
  }
`);

export default function VersionsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="app-versions"
      text={text}
      source={listOf(VERSION, 'APP', 'LOGICAL_NUMBER')}
      initialSort="-CREATED_AT"
      columns={[
        'app',
        'number',
        { id: 'granted', align: 'end', render: ({ reach }) => reach.granted },
        { id: 'current', align: 'end', render: ({ reach }) => reach.current },
        'size',
        'createdAt',
      ]}
      filters={['number', 'createdAt']}
      panel={<VersionPanel />}
    />
  );
}

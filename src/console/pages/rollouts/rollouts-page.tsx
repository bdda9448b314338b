import { lazy, type ReactNode } from 'react';

import { fragment } from '../../api';
import { nameOf } from '../../record/link';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { RolloutButton } from './rollout-button';
import { Progress, takersOf } from './waves';
import { useText } from './words';

const RolloutPanel = lazy(() => import('./rollout-panel'));

const ROW = fragment(`
  fragment RolloutRow on Rollout {
    id name state createdAt
    appVersions { id number app { name } }
    waves { state size waiting excluded granted downloaded installed proven failed }
  }
`);

const STATES = ['PLANNED', 'RUNNING', 'PAUSED', 'STOPPED_BY_FAILURES', 'FINISHED', 'UNDONE'] as const;

export default function RolloutsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="rollouts"
      text={text}
      source={listOf(ROW)}
      initialSort="-CREATED_AT"
      columns={[
        'name',
        'state',
        {
          id: 'versions',
          title: text.appVersions,
          width: 180,
          render: ({ appVersions }) => appVersions.map(nameOf).join(', '),
        },
        { id: 'progress', render: (row) => <Progress {...row} /> },
        { id: 'takers', title: text.terminals, width: 90, align: 'end', render: takersOf },
        'createdAt',
      ]}
      actions={<RolloutButton label={text.newRollout} icon="add" variant="primary" />}
      filters={['name', { id: 'state', values: STATES }, 'createdAt']}
      panel={<RolloutPanel />}
      empty={text.about}
    />
  );
}

import type { ReactNode } from 'react';

import { fragment, mutate, mutations } from '../../api';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { NUMBER } from './device-actions';
import { useText } from './words';

const TERMINAL = fragment(`
  fragment UnknownTerminalRow on UnknownTerminal {
    id serialNumber count firstSeenAt lastSeenAt
  }
`);

/** Terminals that a gateway spoke for and that no device has; a device can be made of each. */
export default function UnknownTerminalsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="unknown-terminals"
      text={text}
      source={listOf(TERMINAL, 'DEVICE')}
      columns={['serialNumber', 'count', 'firstSeenAt', 'lastSeenAt']}
      filters={['serialNumber', 'lastSeenAt']}
      rowActions={[
        {
          id: 'adopt',
          icon: 'add',
          fields: [NUMBER],
          change: ({ serialNumber }, input: object) =>
            mutate(mutations.deviceAdopt, { serialNumber, ...input }),
        },
      ]}
      empty={text.noUnknown}
    >
      <p className="faint">{text.unknownHelp}</p>
    </ListPage>
  );
}

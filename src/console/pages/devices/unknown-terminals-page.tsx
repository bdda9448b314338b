import type { ReactNode } from 'react';

import { graphql, mutate, mutations } from '../../api';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import type { Reference } from '../../ui/reference-input';
import { numberField } from './device-actions';
import { useText } from './words';

const TERMINAL = graphql(`
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
      source={listOf(TERMINAL, 'DEVICE')}
      columns={[
        { id: 'serialNumber', title: text.serialNumber, order: 'SERIAL_NUMBER', width: 200, kind: 'code' },
        { id: 'count', title: text.refusals, width: 110, kind: 'number' },
        { id: 'firstSeenAt', title: text.firstSeen, width: 150, kind: 'ago' },
        { id: 'lastSeenAt', title: text.lastSeen, order: 'LAST_SEEN_AT', width: 150, kind: 'ago' },
      ]}
      filters={[
        { id: 'serialNumber', title: text.serialNumber, kind: 'text' },
        { id: 'lastSeenAt', title: text.lastSeen, kind: 'time' },
      ]}
      rowActions={{
        empty: NONE,
        actions: [
          {
            name: text.adopt,
            icon: 'add',
            done: text.adopted,
            effect: text.adoptHelp,
            fields: [numberField(text.logicalNumber)],
            change: ({ serialNumber }, { logicalNumber }) =>
              mutate(mutations.deviceAdopt, { serialNumber, logicalNumberId: logicalNumber?.id ?? null }),
          },
        ],
      }}
      empty={text.noUnknown}
    >
      <p className="faint">{text.unknownHelp}</p>
    </ListPage>
  );
}

const NONE = { logicalNumber: null as Reference | null };

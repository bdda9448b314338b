import { lazy, Suspense, useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMay } from '../../app/session';
import { ListPage } from '../../table/list-page';
import { Button } from '../../ui/button';
import { useText } from './words';

const AdoptDialog = lazy(() => import('./adopt-dialog'));

const TERMINALS = graphql(`
  query UnknownTerminalList(
    $first: Int!, $after: String, $filter: UnknownTerminalFilter, $orderBy: UnknownTerminalOrder, $count: Boolean!
  ) {
    unknownTerminals(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes { id serialNumber count firstSeenAt lastSeenAt }
    }
  }
`);

interface Terminal {
  readonly id: string;
  readonly serialNumber: string;
}

/** Terminals that a gateway spoke for and that no device has; a device can be made of each. */
export default function UnknownTerminalsPage(): ReactNode {
  const text = useText();
  const mayWrite = useMay('WRITE');
  const [adopted, setAdopted] = useState<readonly Terminal[]>([]);
  return (
    <>
      <ListPage
        id="unknown-terminals"
        label={text.unknownTerminals}
        source={{ document: TERMINALS, follows: ['DEVICE'] }}
        rowName={({ serialNumber }) => serialNumber}
        columns={[
          {
            id: 'serialNumber',
            title: text.serialNumber,
            order: 'SERIAL_NUMBER',
            width: 200,
            kind: 'code',
          },
          { id: 'count', title: text.refusals, width: 110, kind: 'number' },
          { id: 'firstSeenAt', title: text.firstSeen, width: 150, kind: 'ago' },
          { id: 'lastSeenAt', title: text.lastSeen, order: 'LAST_SEEN_AT', width: 150, kind: 'ago' },
          {
            id: 'actions',
            title: text.actions,
            width: 130,
            render: (row) => mayWrite && <Button onPress={() => setAdopted([row])}>{text.adopt}</Button>,
          },
        ]}
        filters={[
          { id: 'serialNumber', title: text.serialNumber, kind: 'text' },
          { id: 'lastSeenAt', title: text.lastSeen, kind: 'time' },
        ]}
        selectionActions={(rows, clear) => (
          <Button
            icon="add"
            look="primary"
            onPress={() => {
              setAdopted(rows);
              clear();
            }}
          >
            {text.adopt}
          </Button>
        )}
        empty={text.noUnknown}
      >
        <p className="faint">{text.unknownHelp}</p>
      </ListPage>
      <Suspense>
        {adopted.length > 0 && <AdoptDialog terminals={adopted} onClose={() => setAdopted([])} />}
      </Suspense>
    </>
  );
}

import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { mutate } from '../../api/mutation';
import { useMay } from '../../app/session';
import type { UnknownTerminalListQuery } from '../../gql/graphql';
import { BulkDialog } from '../../record/bulk-dialog';
import { findLogicalNumbers } from '../../record/find';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { ReferenceInput, type Reference } from '../../ui/reference-input';
import { notify } from '../../ui/toasts';
import { words } from './words';

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

const ADOPT = graphql(`
  mutation DeviceAdopt($serialNumber: String!, $logicalNumberId: ID) {
    deviceAdopt(serialNumber: $serialNumber, logicalNumberId: $logicalNumberId) {
      device { id }
      userErrors { code message path rule params }
    }
  }
`);

type Row = UnknownTerminalListQuery['unknownTerminals']['nodes'][number];

const SOURCE = { document: TERMINALS, follows: ['DEVICE'] } as const;

/** Terminals that a gateway spoke for and that no device has; a device can be made of each. */
export default function UnknownTerminalsPage(): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [adopted, setAdopted] = useState<readonly Row[]>([]);
  return (
    <>
      <ListPage
        id="unknown-terminals"
        label={text.unknownTerminals}
        source={SOURCE}
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
          {
            id: 'lastSeenAt',
            title: text.lastSeen,
            order: 'LAST_SEEN_AT',
            width: 150,
            kind: 'ago',
          },
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
        {...(mayWrite && {
          selectionActions: (rows: readonly Row[], clear: () => void) => (
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
          ),
        })}
        empty={text.noUnknown}
      >
        <p className="faint">{text.unknownHelp}</p>
      </ListPage>
      {adopted.length > 0 && <AdoptDialog terminals={adopted} onClose={() => setAdopted([])} />}
    </>
  );
}

function AdoptDialog(props: { readonly terminals: readonly Row[]; readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  const [number, setNumber] = useState<Reference | null>(null);
  return (
    <BulkDialog
      title={text.adoptQuestion}
      action={text.adopt}
      targets={props.terminals.map(({ id, serialNumber }) => ({ id, name: serialNumber }))}
      change={({ name }) => mutate(ADOPT, { serialNumber: name, logicalNumberId: number?.id ?? null })}
      changes="DEVICE"
      onClose={props.onClose}
      onDone={() => {
        notify({ text: text.adopted });
        props.onClose();
      }}
    >
      <ReferenceInput
        label={text.logicalNumber}
        value={number}
        onChange={setNumber}
        find={findLogicalNumbers}
      />
      <p className="faint">{text.adoptHelp}</p>
    </BulkDialog>
  );
}

import { useState, type ReactNode } from 'react';

import { fragment } from '../../api';
import { CompactList } from '../../table/data-table';
import { listIn } from '../../table/rows';
import { useFormat } from '../../text';
import { LogViewer } from './log-viewer';
import { useText } from './words';

const LOG = fragment(`
  fragment DeviceLogRow on DeviceLog {
    id name at size parts receivedParts
  }
`);

/** Logs that a terminal has sent, the newest first, or the text of one of them. */
export function DeviceLogs({ id }: { readonly id: string }): ReactNode {
  const text = useText();
  const format = useFormat();
  const [open, setOpen] = useState<string | null>(null);
  if (open !== null) return <LogViewer id={open} onClose={() => setOpen(null)} />;
  return (
    <CompactList
      id="terminal-logs"
      text={text}
      label={text.logs}
      source={listIn(id, LOG, 'DEVICE')}
      onOpen={(log) => setOpen(log.id)}
      columns={[
        { id: 'name', width: 95 },
        { id: 'at', title: text.takenAt, width: 200 },
        { id: 'size', width: 80 },
        {
          id: 'receivedParts',
          title: text.parts,
          width: 90,
          render: ({ parts, receivedParts }) =>
            parts > 1 && text.partsOf(format.number(receivedParts), format.number(parts)),
        },
      ]}
      empty={text.noLogs}
    />
  );
}

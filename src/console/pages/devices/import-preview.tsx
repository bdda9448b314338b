import type { ReactNode } from 'react';

import { useSentence } from '../../api/mutation';
import type { FleetImportMutation } from '../../gql/graphql';
import { ChangedValue } from '../../record/history';
import { SmallTable } from '../../table/shown';
import { useFormat, useLabel } from '../../text';
import { Badge } from '../../ui/facts';
import { useText } from './words';

type Checked = FleetImportMutation['fleetImport'];
type Row = NonNullable<Checked['preview']>[number];

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The rows of a file with what they would change, or why they are refused, in the order of the file. */
export function ImportPreview({ count, refusedCount, refused, preview }: Checked): ReactNode {
  const text = useText();
  const format = useFormat();
  const say = useSentence();
  const results = { CREATE: text.rowCreated, UPDATE: text.rowChanged, NONE: text.rowUnchanged } as const;
  const problems = (refused ?? []).map((row) => ({ ...row, reason: say(row, row) }));
  const table = problems.map(({ line, reason }) => `${line},"${reason.replaceAll('"', '""')}"`).join('\n');
  const shown = [
    ...(preview ?? []).map((row) => ({
      ...row,
      result: <Badge tone={row.action === 'NONE' ? 'plain' : 'good'}>{results[row.action]}</Badge>,
      what: <Changes {...row} />,
    })),
    ...problems.map((row) => ({
      ...row,
      result: <Badge tone="bad">{text.rowRefused}</Badge>,
      what: row.reason,
    })),
  ].toSorted((one, other) => one.line - other.line);
  const left = (count ?? 0) - (preview?.length ?? 0);
  return (
    <>
      <p role="status">{text.marked(format.number(count ?? 0), format.number(refusedCount ?? 0))}</p>
      <div className="results" tabIndex={0} role="region" aria-label={text.result}>
        <SmallTable
          rows={shown.map((row) => ({ ...row, id: String(row.line) }))}
          columns={[
            { id: 'id', title: text.rowNumber },
            { id: 'serialNumber', title: text.serialNumber, render: (row) => row.serialNumber },
            {
              id: 'what',
              title: text.whatChanges,
              render: (row) => (
                <>
                  {row.result} {row.what}
                </>
              ),
            },
          ]}
        />
        {left > 0 && <p className="faint">{text.moreRows(format.number(left))}</p>}
        {problems.length > 0 && (
          <a download="refused.csv" href={`data:text/csv;charset=utf-8,${encodeURIComponent(table)}`}>
            {text.saveAsCsv}
          </a>
        )}
      </div>
    </>
  );
}

/** Fields that a row changes, each with its value before and after. */
function Changes({ changes, createsNumber }: Row): ReactNode {
  const text = useText();
  const label = useLabel();
  const titleOf = (field: string): string => {
    if (field === 'numberTags') return text.numberTags;
    if (field === 'numberNotes') return text.numberNotes;
    const [first, ...key] = field.split('.');
    return first === 'parameters' ? `${text.PARAMETER} ${key.join('.')}` : label(field);
  };
  return changes.map((change) => (
    <div key={change.field}>
      {titleOf(change.field)}: <ChangedValue change={change} names={NO_NAMES} />
      {change.field === 'logicalNumber' && createsNumber && ` (${text.isCreated})`}
    </div>
  ));
}

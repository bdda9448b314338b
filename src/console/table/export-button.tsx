import { lazy, type ReactNode } from 'react';

import { DialogButton } from '../record/dialog-button';
import { texts, useTexts } from '../text';
import { useConditionText } from './filter';
import type { FilterBarProps } from './filter-chips';

/** Columns of exports by the columns of tables that are no field of the record; empty where there is none. */
const EXPORTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alerts: { alert: 'kind,affected,total', state: 'closedAt' },
  'alert-rules': { kind: '', condition: '' },
  devices: { group: 'logicalNumber.group', model: 'meta', lastRefusal: '' },
  'logical-numbers': { devices: '', appVersions: '' },
  groups: { logicalNumbers: '', appVersions: '', parameters: '' },
  transactions: {
    state: 'status,parsed.status',
    amount: 'parsed.amount',
    brand: 'parsed.card.brand',
    nsu: 'parsed.nsu',
  },
  jobs: { progress: 'total,done' },
  notifications: { progress: '' },
  commands: { summary: '' },
  'app-versions': { granted: '', current: '' },
  rollouts: { versions: '', progress: '' },
  ledger: { entity: 'entityType,entityId' },
};

const words = texts({
  export: ['Export', 'Exportar'],
});

const ExportDialog = lazy(() => import('./export-dialog'));

interface ExportButtonProps extends Pick<FilterBarProps, 'fields' | 'names' | 'filter'> {
  /** Id of the table: its name in paths, with hyphens. */
  readonly table: string;
  /** Title of the list: "Devices". */
  readonly label: string;
  /** The filter as the API takes it. */
  readonly where: object;
  /** Order of the list, for example `-CREATED_AT`. */
  readonly sort: string | undefined;
  readonly columns: readonly { readonly id: string }[];
}

/** Opens the window in which the fields and the form of an export are chosen. */
export function ExportButton(props: ExportButtonProps): ReactNode {
  const text = useTexts(words);
  const conditionText = useConditionText(props.names);
  const { table, label, where, sort, columns, fields, filter } = props;
  // Exports have users in place of members, with other fields and filters.
  if (table === 'members') return null;
  const shown = columns.filter(({ id }) => id !== 'actions');
  const names = shown.map(({ id }) => EXPORTED[table]?.[id] ?? id).filter((name) => name !== '');
  const conditions = Object.entries(filter).map(([id, comparator]) =>
    conditionText(fields.find((each) => each.id === id) ?? { id, title: id }, comparator),
  );
  return (
    <DialogButton
      label={text.export}
      icon="file"
      scope="READ"
      dialog={(close) => (
        <ExportDialog
          table={table}
          title={`${text.export}: ${label}`}
          fileName={[label, ...conditions].join(', ')}
          where={where}
          sort={sort}
          shown={[...new Set(names.join().split(','))]}
          onClose={close}
        />
      )}
    />
  );
}

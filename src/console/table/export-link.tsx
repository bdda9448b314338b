import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { mutations } from '../api';
import { checkCompany, connection } from '../api/client';
import type { ExportKind } from '../gql/graphql';
import { ActionButton } from '../record/dialog-button';
import { texts, useLocale, useTexts } from '../text';
import { Icon } from '../ui/icon';
import { notify } from '../ui/toasts';

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
  'app-versions': { granted: '', current: '' },
  rollouts: { versions: '', progress: '' },
  ledger: { entity: 'entityType,entityId' },
};

const words = texts({
  asLink: ['Export as a link', 'Exportar como link'],
  export: ['Export', 'Exportar'],
  linkMade: ['The link works for 24 hours.', 'O link funciona por 24 horas.'],
});

/**
 * Downloads all records of a list as CSV. A link, since the browser stores what arrives, whatever its length; its page is
 * the proof for the cookie where browsers send no other. A job makes a link that others may use.
 */
export function ExportLink(props: {
  /** Id of the table: its name in paths, with hyphens. */
  readonly table: string;
  readonly filter: object;
  readonly columns: readonly { readonly id: string }[];
}): ReactNode {
  const text = useTexts(words);
  const navigate = useNavigate();
  const { timeZone } = useLocale();
  const { table, filter, columns } = props;
  // Exports have users, with other fields and filters.
  if (table === 'members') return null;
  const shown = columns.filter(({ id }) => id !== 'actions');
  const names = shown.map(({ id }) => EXPORTED[table]?.[id] ?? id).filter((name) => name !== '');
  const chosen = [...new Set(names.join().split(','))];
  const isFiltered = Object.keys(filter).length > 0;
  const list = table.replaceAll('-', '_');
  const query = new URLSearchParams({
    company: connection.company ?? '',
    format: 'csv',
    columns: chosen.join(),
    time_zone: timeZone,
    ...(isFiltered && { filter: JSON.stringify(filter) }),
  });
  const kind = list.toUpperCase() as ExportKind;
  return (
    <>
      <a
        className="button button-plain"
        href={`/export/v1/${list}?${query.toString()}`}
        download
        referrerPolicy="same-origin"
        onClick={checkCompany}
      >
        <Icon name="file" />
        {text.export}
      </a>
      <ActionButton
        label={text.asLink}
        document={mutations.exportStart}
        variables={{ input: { kind, columns: chosen, timeZone, ...(isFiltered && { filter }) } }}
        onDone={({ job }) => {
          const open = (): void => void navigate({ to: '/jobs', search: { open: job?.id ?? '' } });
          notify({ text: text.linkMade, open });
        }}
      />
    </>
  );
}

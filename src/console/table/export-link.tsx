import type { ReactNode } from 'react';

import { texts, useLocale, useTexts } from '../text';
import { Icon } from '../ui/icon';

const OWNER = { owner: 'logicalNumber,group' };

/** Columns of exports by the columns of tables that are no field of the record; empty where there is none. */
const EXPORTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  devices: { group: 'logicalNumber.group', model: 'meta', lastRefusal: '' },
  'logical-numbers': { devices: '', appVersions: '' },
  groups: { logicalNumbers: '', appVersions: '', parameters: '' },
  parameters: OWNER,
  metacontents: OWNER,
  transactions: {
    state: 'status,parsed.status',
    amount: 'parsed.amount',
    brand: 'parsed.card.brand',
    nsu: 'parsed.nsu',
    type: 'transactionType',
  },
  jobs: { progress: 'total,done' },
  notifications: { progress: '' },
  'app-versions': { granted: '', current: '' },
  ledger: { entity: 'entityType,entityId' },
};

const words = texts({
  export: ['Export', 'Exportar'],
});

/**
 * Downloads all records of a list as CSV. A link, since the browser stores what arrives, whatever its length; its page is
 * the proof for the cookie where browsers send no other.
 */
export function ExportLink(props: {
  /** Id of the table: its name in paths, with hyphens. */
  readonly table: string;
  readonly filter: object;
  readonly columns: readonly { readonly id: string }[];
}): ReactNode {
  const text = useTexts(words);
  const { timeZone } = useLocale();
  const { table, filter, columns } = props;
  // Exports have users, with other fields and filters.
  if (table === 'members') return null;
  const shown = columns.filter(({ id }) => id !== 'actions');
  const names = shown.map(({ id }) => EXPORTED[table]?.[id] ?? id).filter((name) => name !== '');
  const query = new URLSearchParams({
    format: 'csv',
    columns: [...new Set(names.join().split(','))].join(),
    time_zone: timeZone,
    ...(Object.keys(filter).length > 0 && { filter: JSON.stringify(filter) }),
  });
  const href = `/export/v1/${table.replaceAll('-', '_')}?${query.toString()}`;
  return (
    <a className="button button-plain" href={href} download referrerPolicy="same-origin">
      <Icon name="file" />
      {text.export}
    </a>
  );
}

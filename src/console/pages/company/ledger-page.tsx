import type { ReactNode } from 'react';

import { fragment } from '../../api';
import type { EntityType, LedgerEntryRecordFragment, LedgerEntryRowFragment } from '../../gql/graphql';
import { useActor } from '../../record/actor';
import { useNames } from '../../record/find';
import { HistoryEntry } from '../../record/history';
import { useHistoryLabel } from '../../record/history-words';
import { nameOf, RecordLink } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { useListAddress } from '../../table/address';
import { CompactList } from '../../table/data-table';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import type { Column } from '../../table/shown';
import { texts, useTexts } from '../../text';
import { pageOf } from '../../ui/words';
import { useText } from './words';

const ROW = fragment(`
  fragment LedgerEntryRow on LedgerEntry {
    id sequence at action entityKind entityName channel actorKind jobId tokenName
    actor { id name }
    entity { id ... on AppVersion { number app { name } } }
  }
`);

/** Kinds of records in the change history. */
const entityNames = texts({
  ACCESS_TOKEN: ['API token', 'Token da API'],
  ALERT: ['Alert', 'Alerta'],
  ALERT_RULE: ['Alert rule', 'Regra de alerta'],
  APP: ['App', 'Aplicativo'],
  APP_VERSION: ['App version', 'Versão de aplicativo'],
  COMMAND: ['Command', 'Comando'],
  COMPANY: ['Company', 'Empresa'],
  DATABASE: ['Database', 'Banco de dados'],
  DEVICE: ['Device', 'Dispositivo'],
  DEVICE_TOKEN: ['Token of a device', 'Token de dispositivo'],
  EXPORT_SCHEDULE: ['Export schedule', 'Agendamento de exportação'],
  FILE: ['File', 'Arquivo'],
  GROUP: ['Group', 'Grupo'],
  INVITATION: ['Invitation', 'Convite'],
  JOB: ['Job', 'Tarefa'],
  LOGICAL_NUMBER: ['Logical number', 'Número lógico'],
  MEMBERSHIP: ['Member', 'Membro'],
  METACONTENT: ['Metacontent', 'Metaconteúdo'],
  NOTIFICATION: ['Notification', 'Notificação'],
  PARAMETER: ['Parameter', 'Parâmetro'],
  PASSKEY: ['Passkey', 'Chave de acesso'],
  ROLLOUT: ['Rollout', 'Implantação'],
  SAVED_FILTER: ['Saved filter', 'Filtro salvo'],
  SESSION: ['Session', 'Sessão'],
  SIGN_IN: ['Sign-in', 'Entrada'],
  TRANSACTION: ['Transaction', 'Transação'],
  USER: ['User', 'Usuário'],
  WEBHOOK: ['Webhook', 'Webhook'],
} satisfies Readonly<Record<EntityType, readonly [string, string]>>);

/** The name of the record of an entry: of a version "Pay 1.2", of a notification its text, without the action before it. */
const namedIn = ({ entity, entityName }: Pick<LedgerEntryRowFragment, 'entity' | 'entityName'>): string =>
  entity && 'app' in entity ? nameOf(entity) : (entityName?.replace(/^SHOW_MESSAGE\|/, '') ?? '');

const KINDS = Object.keys(entityNames.en) as EntityType[];

function useColumns(): readonly Column<LedgerEntryRowFragment>[] {
  const label = useHistoryLabel();
  const kinds = useTexts(entityNames);
  const actorOf = useActor();
  return [
    { id: 'sequence', title: 'N°', width: 80 },
    'at',
    {
      id: 'actor',
      width: 220,
      render: (entry) => actorOf(entry).who,
    },
    { id: 'action', render: ({ action }) => label(action.toUpperCase()) },
    {
      id: 'entity',
      width: 220,
      render: (entry) => `${kinds[entry.entityKind]} ${namedIn(entry)}`,
    },
  ];
}

const SOURCE = listOf(ROW, ...KINDS);

/** The change history of the company: who changed what, and when. */
export default function LedgerPage(): ReactNode {
  const text = useText();
  const kinds = useTexts(entityNames);
  return (
    <ListPage
      id="ledger"
      text={{ ...text, ...kinds }}
      source={SOURCE}
      initialSort="-SEQUENCE"
      // A job is one entry, which is opened for the changes that it has made.
      initialFilter={{ routine: { eq: false } }}
      columns={useColumns()}
      filters={[
        { id: 'entityKind', values: KINDS },
        'actorId',
        'at',
        'routine',
        { id: 'jobId', isOfLinks: true },
      ]}
      panel={<EntryPanel />}
      empty={text.noEntries}
    />
  );
}

const ENTRY = fragment(`
  fragment LedgerEntryRecord on LedgerEntry {
    id sequence at action entityKind entityName channel actorKind jobId tokenName
    actor { name }
    entity { id ... on AppVersion { number app { name } } }
    changes { field before after recordIds }
  }
`);

/** One change, and the record as it is now. */
function EntryPanel(): ReactNode {
  const kinds = useTexts(entityNames);
  return (
    <RecordPanel
      fragment={ENTRY}
      title={(entry) => `${kinds[entry.entityKind]} ${namedIn(entry)}`}
      tabs={(entry) => ({
        changes: <Changes entry={entry} />,
        changesOfJob: entry.entityKind === 'JOB' && entry.jobId !== null && <OfJob jobId={entry.jobId} />,
      })}
    />
  );
}

/** The changes that a job has made. */
function OfJob({ jobId }: { readonly jobId: string }): ReactNode {
  const text = useText();
  const [, change] = useListAddress();
  return (
    <CompactList
      id="ledger"
      text={text}
      label={text.changesOfJob}
      source={SOURCE}
      fixedFilter={{ jobId: { eq: jobId } }}
      initialSort="SEQUENCE"
      columns={useColumns()}
      onOpen={({ id }) => change({ open: id, tab: undefined })}
      empty={text.noEntries}
    />
  );
}

function Changes({ entry }: { readonly entry: LedgerEntryRecordFragment }): ReactNode {
  const text = useText();
  const names = useNames(entry.changes.flatMap(({ recordIds }) => recordIds));
  const record = entry.entity && { id: entry.entity.id, name: text.showRecord };
  return (
    <>
      <ol className="history">
        <HistoryEntry entry={entry} names={names} />
      </ol>
      <RecordLink page={pageOf(entry.entityKind)} record={record} />
    </>
  );
}

import type { ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../api';
import type { ExportSchedulesQuery } from '../gql/graphql';
import { ActionButton } from '../record/dialog-button';
import { texts, useFormat, useLocale, useTexts } from '../text';
import { jobFailureIn } from '../text/stopped';
import { Card } from '../ui/page';
import { Loading, PageFailure } from '../ui/states';
import { weekdaysIn } from './export-schedule';
import { SmallTable } from './shown';

const words = texts({
  daily: ['Each day', 'Todos os dias'],
  delete: ['Delete', 'Excluir'],
  lastExport: ['Last export', 'Última exportação'],
  name: ['Name', 'Nome'],
  never: ['Never', 'Nunca'],
  nextAt: ['Next', 'Próxima'],
  noExports: [
    'None. Export on the page of a list makes them.',
    'Nenhuma. Exportar na página de uma lista as cria.',
  ],
  notTaken: [
    (time: string) => `Made ${time}, not taken yet`,
    (time: string) => `Feita em ${time}, ainda não recebida`,
  ],
  receivers: ['Sent to', 'Enviada para'],
  taken: [(time: string) => `Taken ${time}`, (time: string) => `Recebida em ${time}`],
  when: ['When', 'Quando'],
});

const SCHEDULES = graphql(`
  query ExportSchedules {
    exportSchedules {
      id name weekday hour timeZone nextAt madeAt deliveredAt failure deliveryFailure recipientIds
      webhook { id url }
    }
    users(first: 100) { nodes { id name } }
  }
`);
const NO_VARIABLES = {};

type Schedule = NonNullable<ExportSchedulesQuery['exportSchedules']>[number];

interface ScheduledExportsProps {
  /** The webhook that gets them; without it, all of the company are shown. */
  readonly webhookId?: string;
  /** Heading, with which nothing is shown where there are none. */
  readonly title?: string;
}

/** Exports that are made again and again, for administrators: when, for whom, and what became of the last one. */
export function ScheduledExports({ webhookId, title }: ScheduledExportsProps): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const { language } = useLocale();
  const lastOf = useLastExport();
  const { data, error, reload } = useQuery(SCHEDULES, NO_VARIABLES, ['EXPORT_SCHEDULE']);
  if (error) return <PageFailure error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  const days = weekdaysIn(language);
  const names = new Map(data.users?.nodes.map(({ id, name }) => [id, name]));
  const all = data.exportSchedules ?? [];
  const rows = all.filter(({ webhook }) => webhookId === undefined || webhook?.id === webhookId);
  if (title !== undefined && rows.length === 0) return null;
  const table = (
    <SmallTable
      rows={rows}
      empty={text.noExports}
      columns={[
        { id: 'name', title: text.name },
        {
          id: 'when',
          title: text.when,
          render: ({ weekday, hour, timeZone }) =>
            `${days.find(({ value }) => value === weekday)?.label ?? text.daily} ${hour}:00 ${timeZone}`,
        },
        {
          id: 'receivers',
          title: text.receivers,
          render: ({ webhook, recipientIds }) =>
            webhook?.url ?? recipientIds.flatMap((id) => names.get(id) ?? []).join(', '),
        },
        { id: 'nextAt', title: text.nextAt, render: ({ nextAt }) => format.time(nextAt) },
        { id: 'lastExport', title: text.lastExport, render: lastOf },
        {
          id: 'actions',
          title: '',
          render: ({ id }) => (
            <ActionButton label={text.delete} document={mutations.exportScheduleDelete} variables={{ id }} />
          ),
        },
      ]}
    />
  );
  return title === undefined ? table : <Card title={title}>{table}</Card>;
}

/** Says what became of the last export: made, taken, or why not. */
function useLastExport(): (schedule: Schedule) => string {
  const text = useTexts(words);
  const { time } = useFormat();
  const { language } = useLocale();
  return ({ madeAt, deliveredAt, failure, deliveryFailure }) => {
    if (failure !== null) return jobFailureIn(language, failure);
    if (madeAt === null) return text.never;
    if (deliveredAt !== null) return text.taken(time(deliveredAt));
    const why = deliveryFailure === null ? [] : [jobFailureIn(language, deliveryFailure)];
    return [text.notTaken(time(madeAt)), ...why].join('. ');
  };
}

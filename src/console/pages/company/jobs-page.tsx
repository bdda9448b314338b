import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { fragment, graphql, mutations, useSubscription } from '../../api';
import { checkCompany, connection } from '../../api/client';
import { useSentence } from '../../api/mutation';
import { useMay } from '../../app/session';
import type { JobRecordFragment } from '../../gql/graphql';
import { ActionButton } from '../../record/dialog-button';
import { kindNames } from '../../record/history-values';
import { listChangedBy } from '../../record/job-end';
import { RecordPanel } from '../../record/panel';
import { CompactList } from '../../table/data-table';
import { ListPage } from '../../table/list-page';
import { listIn, listOf } from '../../table/rows';
import { ScheduledExports } from '../../table/scheduled-exports';
import { Facts, type Fact } from '../../table/shown';
import { useFormat, useLabel, useLocale, useTexts } from '../../text';
import { jobFailureIn } from '../../text/stopped';
import { Copyable, Time } from '../../ui/facts';
import { pageTexts } from '../../ui/words';

const useText = pageTexts({
  cancelHelp: ['Rows that are done stay as they are.', 'As linhas já feitas permanecem como estão.'],
  cancelJob: ['Cancel the rest', 'Cancelar o restante'],
  CANCELLED: ['Cancelled', 'Cancelada'],
  DONE: ['Done', 'Concluída'],
  endedAt: ['Ended', 'Terminada'],
  failure: ['Why it failed', 'Por que falhou'],
  link: ['Link', 'Link'],
  noJobs: [
    'No jobs yet. Imports and changes of many devices run as jobs.',
    'Nenhuma tarefa ainda. Importações e alterações de muitos dispositivos são tarefas.',
  ],
  noRejections: ['No row was refused.', 'Nenhuma linha foi recusada.'],
  progress: ['Progress', 'Andamento'],
  rejected: ['Refused', 'Recusadas'],
  rejections: ['Refused rows', 'Linhas recusadas'],
  RUNNING: ['Running', 'Em execução'],
  showChanged: ['Show what it changed', 'Mostrar o que alterou'],
  scheduled: ['Scheduled exports', 'Exportações agendadas'],
  tokens: ['New tokens', 'Novos tokens'],
  until: ['until', 'até'],
  WAITING: ['Waiting', 'Aguardando'],
});

const JOB = fragment(`
  fragment JobRecord on Job {
    id kind state total done rejected failure createdAt endedAt
    result { url expiresAt }
    createdBy { name }
  }
`);

/** Changes of many records that run in the background, with their progress. */
export default function JobsPage(): ReactNode {
  const text = useText();
  const kinds = useTexts(kindNames);
  return (
    <ListPage
      id="jobs"
      text={{ ...text, ...kinds }}
      source={listOf(JOB)}
      initialSort="-CREATED_AT"
      columns={[
        { id: 'kind', width: 190 },
        'state',
        { id: 'progress', render: (row) => <Progress {...row} /> },
        'rejected',
        'createdBy',
        'createdAt',
      ]}
      filters={[{ id: 'state', values: ['WAITING', 'RUNNING', 'DONE', 'CANCELLED', 'FAILED'] }, 'createdAt']}
      panel={<JobPanel />}
      empty={text.noJobs}
    >
      {useMay('ADMIN') && <ScheduledExports title={text.scheduled} />}
    </ListPage>
  );
}

const CHANGED = graphql(`subscription JobChanged($id: ID!) { jobChanged(id: $id) { sequence } }`);

type ProgressProps = Pick<JobRecordFragment, 'id' | 'state' | 'total' | 'done' | 'rejected'>;

/** Rows that are done or refused, of all; followed until the job has ended. */
function Progress({ id, state, total, done, rejected }: ProgressProps): ReactNode {
  const text = useText();
  const format = useFormat();
  useSubscription(CHANGED, state === 'RUNNING' || state === 'WAITING' ? { id } : null, 'JOB');
  return (
    <>
      <progress value={done + rejected} max={Math.max(total, 1)} aria-label={text.progress} />{' '}
      {`${format.number(done + rejected)} / ${format.number(total)}`}
    </>
  );
}

const REJECTION = fragment(`
  fragment JobRejectionRow on JobRejection { id rowNumber name code message rule params }
`);

interface JobFileProps extends NonNullable<JobRecordFragment['result']> {
  /** True if it is an export, whose link others may use. */
  readonly isLink: boolean;
}

/** The file of a job, until it ends: the tokens that it has issued, or an export. */
function JobFile({ url, expiresAt, isLink }: JobFileProps): ReactNode {
  const text = useText();
  return (
    <>
      {Date.parse(expiresAt) > Date.now() && (
        <>
          {isLink && <Copyable label={text.link} value={new URL(url, location.origin).href} />}
          <a
            href={isLink ? url : `${url}?company=${connection.company}`}
            download
            referrerPolicy="same-origin"
            onClick={checkCompany}
          >
            {text.saveAsCsv}
          </a>
        </>
      )}{' '}
      {text.until} <Time at={expiresAt} />
    </>
  );
}

function JobPanel(): ReactNode {
  const label = useLabel();
  const text = useText();
  const say = useSentence();
  const mayAdminister = useMay('ADMIN');
  const { language } = useLocale();
  const fileOf = ({ kind, result }: JobRecordFragment): readonly Fact[] => {
    const isLink = kind === 'exportStart';
    if (!result || (!isLink && !mayAdminister)) return [];
    return [{ id: isLink ? 'link' : 'tokens', value: <JobFile {...result} isLink={isLink} /> }];
  };
  return (
    <RecordPanel
      fragment={JOB}
      title={({ kind }) => label(kind)}
      actions={(job) => {
        const list = listChangedBy(job, mayAdminister);
        return (
          <>
            {list && (
              <Link className="button" {...list}>
                {text.showChanged}
              </Link>
            )}
            {job.endedAt === null && (
              <ActionButton
                label={text.cancelJob}
                isDangerous
                help={text.cancelHelp}
                document={mutations.jobCancel}
                variables={{ id: job.id }}
              />
            )}
          </>
        );
      }}
      tabs={(job) => ({
        facts: (
          <Facts
            record={job}
            facts={[
              'state',
              { id: 'progress', value: <Progress {...job} /> },
              'createdAt',
              'createdBy',
              ...(job.endedAt === null ? [] : (['endedAt'] as const)),
              ...fileOf(job),
              ...(job.failure === null
                ? []
                : [{ id: 'failure', value: jobFailureIn(language, job.failure) } as const]),
            ]}
          />
        ),
        rejections: (
          <CompactList
            id="rejections"
            text={text}
            label={text.rejections}
            source={listIn(job.id, REJECTION, 'JOB')}
            columns={[
              { id: 'rowNumber', width: 80 },
              'name',
              { id: 'reason', width: 300, render: (row) => say(row, { serialNumber: row.name }) },
            ]}
            empty={text.noRejections}
          />
        ),
      })}
    />
  );
}

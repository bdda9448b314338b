import { useNavigate } from '@tanstack/react-router';

import { graphql } from '../api';
import { subscribe } from '../api/client';
import { useMay } from '../app/session';
import { useFormat } from '../text';
import { notify } from '../ui/toasts';
import { pageTexts } from '../ui/words';

const useText = pageTexts({
  ended: [
    (name: string, count: string) => `${name}. Done: ${count}`,
    (name: string, count: string) => `${name}. Concluído: ${count}`,
  ],
  endedWithout: [
    (name: string, count: string, refused: string) => `${name}. Done: ${count}, refused: ${refused}`,
    (name: string, count: string, refused: string) => `${name}. Concluído: ${count}, recusado: ${refused}`,
  ],
  endedEarly: [
    (name: string, count: string, total: string) => `${name}. Ended early: ${count} of ${total} done`,
    (name: string, count: string, total: string) => `${name}. Parou antes: ${count} de ${total}`,
  ],
});

const CHANGED = graphql(`
  subscription JobEnded($id: ID!) {
    jobChanged(id: $id, after: 0) { job { id kind state total done rejected } }
  }
`);

/** Only administrators see the change history. */
const LEDGER = '/ledger';
const DEVICES = ['/devices', 'changedByJob'] as const;

/** Lists by the kind of a job, with the field of their filter that finds what a job has changed. */
const LISTS: Readonly<Record<string, readonly [to: string, field: string]>> = {
  deviceBulkChange: DEVICES,
  fleetApply: [LEDGER, 'jobId'],
  fleetImport: DEVICES,
  logicalNumberBulkChange: ['/logical-numbers', 'changedByJob'],
  rolloutGrant: DEVICES,
  rolloutUndo: DEVICES,
};

interface ChangingJob {
  readonly id: string;
  readonly kind: string;
  readonly done: number;
}

/** The list of the records that a job has changed; null if there is none, or none that the person may see. */
export function listChangedBy({ id, kind, done }: ChangingJob, mayAdminister: boolean) {
  const { [kind]: [to, field] = [] } = LISTS;
  if (to === undefined || field === undefined || done === 0) return null;
  if (to === LEDGER && !mayAdminister) return null;
  return { to, search: { filter: { [field]: { eq: id } } } };
}

/**
 * Says what became of a job with this name once it has ended, as long as the page stays: one button shows what it has changed,
 * another opens the job where something was refused or left out.
 */
export function useJobEnd(): (id: string, name: string) => void {
  const text = useText();
  const format = useFormat();
  const navigate = useNavigate();
  const mayAdminister = useMay('ADMIN');
  return (id, name) => {
    const end = subscribe(CHANGED, { id }, ({ jobChanged: { job } }) => {
      if (job.state === 'WAITING' || job.state === 'RUNNING') return;
      end();
      const count = format.number(job.done);
      const ended =
        job.rejected > 0
          ? text.endedWithout(name, count, format.number(job.rejected))
          : text.ended(name, count);
      const isWhole = job.state === 'DONE' && job.rejected === 0;
      const list = listChangedBy(job, mayAdminister);
      notify({
        text: job.state === 'DONE' ? ended : text.endedEarly(name, count, format.number(job.total)),
        tone: isWhole ? 'good' : 'bad',
        ...(list && { show: () => void navigate(list) }),
        ...((!isWhole || !list) && { open: () => void navigate({ to: '/jobs', search: { open: id } }) }),
      });
    });
  };
}

/** Sends the links of scheduled exports to members by e-mail. */
import type { ReadWork, Units } from '../../../database/work.js';
import { MINUTE, systemClock } from '../../../platform/clock.js';
import { DomainError, isTemporary } from '../../../platform/errors.js';
import type { Mail, Mailer } from '../../../platform/mail.js';
import { clockTime } from '../../../platform/time-zones.js';
import { endOf, keyedLink, readersOf, refuseStarter } from '../job/export-link.service.js';
import { getJob, reasonOf } from '../job/job.service.js';
import { pauseAfter } from '../webhook/webhook.service.js';
import type { ExportSchedule } from './export-schedule.model.js';
import { claimUnsent, type DueSchedule, findUnsentSchedules, store } from './export-schedule.repository.js';
import { findWithCallers } from './export-schedule.service.js';

/** Time after which other e-mails wait for the next run, so that a slow mail server does not hold up exports. */
const RUN_MS = MINUTE / 2;
/** Time for which a node sends alone: longer than `RUN_MS` and one e-mail. */
const LEASE_MS = MINUTE;

export interface MailTools {
  readonly units: Units;
  readonly mail: Mailer;
  readonly tokenSecret: string;
  readonly isStopped: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Sends the e-mails that are due. */
export async function mailDueExports(tools: MailTools): Promise<void> {
  const since = systemClock.elapsed();
  const isStopped = (): boolean => tools.isStopped() || systemClock.elapsed() - since > RUN_MS;
  for (const due of await tools.units.systemRead(findUnsentSchedules)) {
    if (isStopped()) return;
    await mailExport({ ...tools, isStopped }, due).catch(tools.onError);
  }
}

/** Sends the link of the last export to the members who wait for it; each that is taken is noted at once. */
async function mailExport(tools: MailTools, due: DueSchedule): Promise<void> {
  const { units } = tools;
  const begun = await findWithCallers(units, due);
  if (begun === undefined) return;
  const { schedule, caller, server } = begun;
  const { id, madeAt, sendAt } = schedule;
  if (sendAt === null) return;
  const isClaimed = await units.write(server, (work) =>
    claimUnsent(work, schedule, new Date(work.now.getTime() + LEASE_MS)),
  );
  if (!isClaimed) return;
  const note = (changes: (now: Date) => Partial<ExportSchedule>): Promise<void> =>
    units.write(server, (work) => store(work, { id, madeAt }, changes(work.now)));
  try {
    const letters = await units.read(caller, (work) => lettersOf(work, tools, schedule));
    await sendAll(tools, schedule, letters, note);
  } catch (error) {
    if (isTemporary(error)) throw error;
    await note(() => ({ waitingIds: [], sendAt: null, deliveryFailure: reasonOf(error) }));
    if (!(error instanceof DomainError)) throw error;
  }
}

interface Letter extends Mail {
  readonly readerId: number;
}

/** E-mails to those who may still read the export. Errors: `forbidden`, `not_found`. */
async function lettersOf(
  work: ReadWork,
  { mail, tokenSecret }: MailTools,
  schedule: ExportSchedule,
): Promise<readonly Letter[]> {
  await refuseStarter(work, schedule);
  const { name, input, waitingIds, jobId } = schedule;
  const job = await getJob(work, jobId ?? 0);
  const readers = endOf(job) > work.now ? await readersOf(work, input.scopes, waitingIds) : [];
  if (readers.length === 0)
    throw new DomainError('forbidden', 'None of the recipients may read the export any more.');
  return readers.map(({ id: readerId, email, timeZone }) => {
    const { url, expiresAt } = keyedLink(tokenSecret, work.caller.companyId, job, readerId);
    const lines = [
      `${name}: ${job.total} records / registros`,
      `${mail.publicUrl}${url}`,
      `The link works without signing in until ${clockTime(expiresAt, timeZone)}: keep it to yourself.`,
      `O link funciona sem entrar até ${clockTime(expiresAt, timeZone)}: não o repasse.`,
    ];
    return { readerId, to: email, subject: `Export / Exportação: ${name}`, text: `${lines.join('\n')}\n` };
  });
}

async function sendAll(
  { mail, isStopped, onError }: MailTools,
  { failedAttempts }: ExportSchedule,
  letters: readonly Letter[],
  note: (changes: (now: Date) => Partial<ExportSchedule>) => Promise<void>,
): Promise<void> {
  let waitingIds = letters.map(({ readerId }) => readerId);
  let failure: string | null = null;
  for (const { readerId, ...letter } of letters) {
    if (isStopped()) break;
    try {
      await mail.deliver(letter);
    } catch (error) {
      failure = `${letter.to}: ${(error as Error).message}`;
      onError(error);
      continue;
    }
    waitingIds = waitingIds.filter((waiting) => waiting !== readerId);
    const isLast = waitingIds.length === 0;
    await note((now) => ({
      waitingIds,
      ...(isLast && { sendAt: null, deliveredAt: now, deliveryFailure: null }),
    }));
  }
  if (failure === null) return;
  const attempts = failedAttempts + 1;
  await note((now) => ({
    failedAttempts: attempts,
    sendAt: new Date(now.getTime() + pauseAfter(attempts)),
    deliveryFailure: failure,
  }));
}

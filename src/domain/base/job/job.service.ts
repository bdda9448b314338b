import { Records } from '../../../database/company/records.js';
import type { ReadWork, Units, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import {
  DomainError,
  isTemporary,
  messagesOf,
  type Refusal,
  requireAtMost,
} from '../../../platform/errors.js';
import { requireScope, localCaller, type Caller } from '../../../platform/requests.js';
import { problemOfPart } from '../../../platform/rules.js';
import { isObject } from '../../../platform/validate.js';
import { users } from '../../people/user/user.service.js';
import { type Job, MAX_JOB_ROWS } from './job.model.js';
import { findOpenAfter, jobParts, jobTable, nextSequence, rejections } from './job.repository.js';

export { jobNewRows, jobRetention, jobs, rejectionList, rejectionsOfJob } from './job.repository.js';

/** The errors of refused rows by their places among the given rows. */
export type Rejected = ReadonlyMap<number, DomainError>;

/** The job of some rows, and the secret of the tokens that it issues. */
export interface JobContext {
  readonly job: Pick<Job, 'id' | 'createdAt'>;
  readonly tokenSecret: string;
}

/** Changes the records of some rows of a job. A row that is refused changes nothing. Other errors end the job. */
export type ChangeRows = (
  work: WriteWork,
  input: Json,
  rows: readonly Json[],
  context: JobContext,
) => Promise<Rejected>;

/** The change that jobs of each kind make; wings add theirs. */
export const jobKinds = new Map<string, ChangeRows>();

/** Rows of one unit of work: other changes of the company wait for it. */
const ROWS_PER_PART = 80;

const records = new Records(jobTable);
export const { get: getJob } = records;

interface NewJob {
  readonly kind: string;
  readonly input: Json;
  readonly rows: readonly Json[];
  /** Number of rows of a job that has nothing to change, and is done at once. */
  readonly total?: number;
}

/** Starts a job, whose parts follow in the background. Errors: `invalid` for more than `MAX_JOB_ROWS` rows. */
export async function startJob(work: WriteWork, { kind, input, rows, total }: NewJob): Promise<Job> {
  requireAtMost('target', rows.length, MAX_JOB_ROWS);
  const { scopes, channel, ip, requestId, tokenId } = work.caller;
  const job = await jobTable.insert(work, {
    kind,
    state: 'waiting',
    input,
    origin: { scopes, channel, ip, requestId, tokenId },
    total: total ?? rows.length,
    done: 0,
    rejected: 0,
    failure: null,
    endedAt: null,
    sequence: await nextSequence(work),
  });
  const parts = Array.from({ length: Math.ceil(rows.length / ROWS_PER_PART) }, (_, part) => {
    const first = part * ROWS_PER_PART;
    const own = rows.slice(first, first + ROWS_PER_PART);
    return { job_id: job.id, first_row: first, rows: JSON.stringify(own) };
  });
  await jobParts.insert(work, parts);
  work.ledger.append({
    action: 'create',
    entityType: 'job',
    entityId: job.id,
    after: { kind, input, total: job.total },
  });
  if (parts.length === 0) return await end(work, job, 'done', { done: job.total });
  work.deferFinish();
  return job;
}

/** Ends a job before its next part; the rows that are done stay as they are. No change if it has ended. */
export async function cancelJob(work: WriteWork, job: Job): Promise<Job> {
  return job.endedAt === null ? await end(work, job, 'cancelled') : job;
}

async function end(work: WriteWork, job: Job, state: Job['state'], changes: Partial<Job> = {}) {
  const ended = await update(work, job, { ...changes, state, endedAt: work.now });
  const { total, done, rejected, failure } = ended;
  const after = { state, total, done, rejected, failure };
  const entry = { entityType: 'job', entityId: job.id, after } as const;
  if (state === 'cancelled') work.ledger.append({ ...entry, action: 'cancel' });
  else work.ledger.append({ ...entry, action: 'end', jobId: job.id });
  await jobParts.delete(work, { job_id: job.id });
  return ended;
}

/** Changes a job without an entry in the ledger. */
async function update(work: WriteWork, job: Job, changes: Partial<Job>): Promise<Job> {
  return await jobTable.update(work, job, { ...job, ...changes, sequence: await nextSequence(work) });
}

/** Why work in the background has failed, for the person who started it: what is wrong with a field, or with all. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof DomainError)) return 'An internal error: see the log of the server.';
  const [[field, [first]] = ['', []]] = Object.entries(messagesOf(error.details.fields ?? {}));
  if (first === undefined) return error.message;
  return /^\p{Lu}/u.test(first) ? first : `${field} ${first}`;
}

/**
 * Does one part of the oldest job of the next company after `companyId` that has one, in one unit of work: after a
 * crash, the part was done or not (decisions.md#jobs). Returns the id of the company; null if no job is left.
 */
export async function takeJobStep(
  units: Units,
  companyId: number,
  tokenSecret: string,
): Promise<number | null> {
  const found = await units.systemRead(
    async (work) => (await findOpenAfter(work, companyId)) ?? (await findOpenAfter(work, 0)),
  );
  if (found === undefined) return null;
  const { companyId: ownCompany, id } = found;
  const server = localCaller({ companyId: ownCompany, userId: 0, timeZone: 'UTC' });
  const caller = await units.read(server, async (work) => await callerOf(work, await getJob(work, id)));
  try {
    requireScope(caller, 'write');
    await units.write(caller, (work) => doPart(work, id, tokenSecret));
  } catch (error) {
    if (isTemporary(error)) throw error;
    const failure = reasonOf(error);
    await units.write(caller, async (work) => {
      const job = await getJob(work, id);
      if (job.endedAt === null) await end(work, job, 'failed', { failure });
    });
    if (!(error instanceof DomainError)) throw error;
  }
  return ownCompany;
}

/** The person who started a job, like `starterOf`, for the changes of the job. */
export async function callerOf(work: ReadWork, job: Job): Promise<Caller> {
  return { ...(await starterOf(work, job)), jobId: job.id };
}

/** The person who started a job, with the present role; without rights if disabled, or no longer a member. */
export async function starterOf(
  work: ReadWork,
  { createdBy: userId, origin }: Pick<Job, 'createdBy' | 'origin'>,
): Promise<Caller> {
  const member = (await users.byIds(work, [userId])).get(userId);
  const { role, timeZone } = member ?? work.caller;
  const isActive = member?.disabledAt === null;
  const scopes = isActive ? origin.scopes : [];
  const { companyId } = work.caller;
  return { ...origin, companyId, userId, role, timeZone, scopes };
}

async function doPart(work: WriteWork, jobId: number, tokenSecret: string): Promise<void> {
  const job = await getJob(work, jobId);
  if (job.endedAt !== null) return;
  const page = { page: 1, perPage: 2 };
  const [part, next] = await jobParts.select(work, { job_id: jobId }, { orderBy: ['first_row'], page });
  if (part === undefined) {
    await end(work, job, 'done');
    return;
  }
  const change = jobKinds.get(job.kind);
  if (change === undefined) throw new Error(`No wing has declared jobs of the kind ${job.kind}`);
  const rows = JSON.parse(part.rows) as readonly Json[];
  const rejected = await change(work, job.input, rows, { job, tokenSecret });
  await jobParts.delete(work, { job_id: jobId, first_row: part.first_row });
  await rejections.insert(
    work,
    [...rejected].map(([place, error]) => {
      const { params, ...refusal } = refusalOf(error);
      return {
        job_id: jobId,
        row_number: lineOf(rows[place]) ?? part.first_row + place,
        name: nameOf(rows[place]),
        ...refusal,
        params: params && JSON.stringify(params),
      };
    }),
  );
  const done = job.done + rows.length - rejected.size;
  const counts = { done, rejected: job.rejected + rejected.size };
  if (next === undefined) await end(work, job, 'done', counts);
  else await update(work, job, { ...counts, state: 'running' });
}

/** The line of a row in its file, from 1; undefined for a row that is of no file. */
const lineOf = (row: Json | undefined): number | undefined =>
  isObject(row) && typeof row.line === 'number' ? row.line : undefined;

/** The name of the record of a row: a device of an import, or a record of a bulk change. */
function nameOf(row: Json | undefined): string {
  const { name, serialNumber = name } = isObject(row) ? row : {};
  return typeof serialNumber === 'string' ? serialNumber : '';
}

/** Why a row is refused: the messages of its fields, such as `logicalNumberId is not the id of …`, and the first rule. */
export function refusalOf({ code, problem, details: { fields = {} } }: DomainError): Refusal {
  const all = Object.entries(fields).flatMap(([field, own]) => own.map((each) => problemOfPart(field, each)));
  const [first = problem, ...others] = all;
  return { ...first, code, message: [first, ...others].map(({ message }) => message).join('; ') };
}

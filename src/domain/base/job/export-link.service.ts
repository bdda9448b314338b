import type { ReadWork, Units } from '../../../database/work.js';
import { DAY } from '../../../platform/clock.js';
import { DomainError, notFound } from '../../../platform/errors.js';
import { KeyedHash } from '../../../platform/hashes.js';
import {
  localCaller,
  mayUse,
  SCOPES,
  type Caller,
  type Origin,
  type Scope,
} from '../../../platform/requests.js';
import { idFromText, type Ids } from '../../../platform/validate.js';
import { apiTokens } from '../../people/access-token/access-token.service.js';
import { hasLapsed } from '../../people/access-token/authentication.service.js';
import type { Member } from '../../people/user/user.model.js';
import { users } from '../../people/user/user.service.js';
import type { Job } from './job.model.js';
import { callerOf, jobs } from './job.service.js';

/** Kind of the jobs that are exports by a link. */
export const EXPORT_START = 'exportStart';

type KeyedJob = Pick<Job, 'id' | 'createdAt'>;

const linkHash = (tokenSecret: string): KeyedHash => new KeyedHash(tokenSecret, 'link of an export, form 1');

/** The time is one of them, since another job may get the same id after a database was restored. */
const hashed = (companyId: number, { id, createdAt }: KeyedJob, readerId: number | null) => [
  companyId,
  id,
  createdAt.getTime(),
  readerId,
];

export const endOf = ({ createdAt }: Pick<Job, 'createdAt'>): Date => new Date(createdAt.getTime() + DAY);

const scopesOf = ({ input }: { readonly input: unknown }): readonly Scope[] =>
  (input as { readonly scopes: readonly Scope[] }).scopes;

const hasScopes = (caller: Caller, started: { readonly input: unknown }): boolean =>
  scopesOf(started).every((scope) => mayUse(caller, scope));

/** The link of the job of an export; with a reader, it ends when that member may not read the records any more. */
export function keyedLink(
  tokenSecret: string,
  companyId: number,
  job: KeyedJob,
  readerId: number | null = null,
) {
  const hash = linkHash(tokenSecret).of(hashed(companyId, job, readerId));
  const key = [companyId, hash, readerId ?? []].flat().join('-');
  return { url: `/export/v1/jobs/${job.id}/file?key=${key}`, expiresAt: endOf(job) };
}

/** The link of an export, for the person who started it, with the scopes that it needs; null for others. */
export function linkOf(tokenSecret: string, caller: Caller, job: Job) {
  const isOwn = job.kind === EXPORT_START && job.createdBy === caller.userId;
  if (!isOwn || !hasScopes(caller, job)) return null;
  return keyedLink(tokenSecret, caller.companyId, job);
}

/** Active members among the ids who may read what needs the scopes. */
export async function readersOf(
  work: ReadWork,
  scopes: readonly Scope[],
  ids: Ids,
): Promise<readonly Member[]> {
  const members = await users.byIds(work, ids);
  return [...members.values()].filter(
    ({ role, disabledAt }) =>
      disabledAt === null && scopes.every((scope) => mayUse({ role, scopes: SCOPES }, scope)),
  );
}

type Started = Pick<Job, 'origin'> & { readonly input: unknown };

/** True if the caller still has the scopes for the export, and the token that started it is still valid. */
async function mayExport(work: ReadWork, caller: Caller, started: Started): Promise<boolean> {
  const { tokenId } = started.origin;
  const token = tokenId === null ? null : (await apiTokens.byIds(work, [tokenId])).get(tokenId);
  const hasToken = token === null || (token?.revokedAt === null && !hasLapsed(token, work.now));
  return hasToken && hasScopes(caller, started);
}

/** Errors: `forbidden` if the person who began exports has lost the rights or the token for them. */
export async function refuseStarter(work: ReadWork, started: Started): Promise<void> {
  if (!(await mayExport(work, work.caller, started)))
    throw new DomainError(
      'forbidden',
      'The person who made this, or the token that did, has no right to read it any more: make it anew.',
    );
}

/**
 * The export of a link, and the person who started it with the present rights. Errors: `not_found` for a wrong link, one
 * that has ended, and one whose starter or reader has lost a right, or whose starter the token that started it.
 */
export async function findExport(
  units: Units,
  tokenSecret: string,
  link: { readonly job: string; readonly key: string },
  { ip, requestId }: Omit<Origin, 'channel'>,
): Promise<{ readonly job: Job; readonly caller: Caller }> {
  const [company = '', hash = '', reader] = link.key.split('-');
  const [companyId, id] = [idFromText(company) ?? 0, idFromText(link.job) ?? 0];
  const readerId = reader === undefined ? null : (idFromText(reader) ?? 0);
  const server = localCaller({ companyId, userId: 0, timeZone: 'UTC' });
  return await units.read(server, async (work) => {
    const refusal = notFound('link, or none any more');
    const job = (await jobs.byIds(work, [id])).get(id);
    if (job?.kind !== EXPORT_START || endOf(job) <= work.now) throw refusal;
    if (!linkHash(tokenSecret).isOf(hash, hashed(companyId, job, readerId))) throw refusal;
    const caller = { ...(await callerOf(work, job)), ip, requestId };
    if (!(await mayExport(work, caller, job))) throw refusal;
    const isRead = readerId === null || (await readersOf(work, scopesOf(job), [readerId])).length > 0;
    if (!isRead) throw refusal;
    return { job, caller };
  });
}

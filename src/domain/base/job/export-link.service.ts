import type { Units } from '../../../database/work.js';
import { DAY } from '../../../platform/clock.js';
import { notFound } from '../../../platform/errors.js';
import { KeyedHash } from '../../../platform/hashes.js';
import { localCaller, mayUse, type Caller, type Origin, type Scope } from '../../../platform/requests.js';
import { idFromText } from '../../../platform/validate.js';
import { apiTokens } from '../../people/access-token/access-token.service.js';
import { hasLapsed } from '../../people/access-token/authentication.service.js';
import type { Job } from './job.model.js';
import { callerOf, jobs } from './job.service.js';

/** Kind of the jobs that are exports by a link. */
export const EXPORT_START = 'exportStart';

const linkHash = (tokenSecret: string): KeyedHash => new KeyedHash(tokenSecret, 'link of an export, form 1');

/** The time is one of them, since another job may get the same id after a database was restored. */
const hashed = (companyId: number, { id, createdAt }: Job) => [companyId, id, createdAt.getTime()];

const endOf = ({ createdAt }: Job): Date => new Date(createdAt.getTime() + DAY);

const hasScopes = (caller: Caller, { input }: Job): boolean =>
  (input as { readonly scopes: readonly Scope[] }).scopes.every((scope) => mayUse(caller, scope));

/** The link of an export, for the person who started it, with the scopes that it needs; null for others. */
export function linkOf(tokenSecret: string, caller: Caller, job: Job) {
  const isOwn = job.kind === EXPORT_START && job.createdBy === caller.userId;
  if (!isOwn || !hasScopes(caller, job)) return null;
  const key = `${caller.companyId}-${linkHash(tokenSecret).of(hashed(caller.companyId, job))}`;
  return { url: `/export/v1/jobs/${job.id}/file?key=${key}`, expiresAt: endOf(job) };
}

/**
 * The export of a link, and the person who started it with the present rights. Errors: `not_found` for a wrong link, one
 * that has ended, and one whose starter has lost a right or the token that started it.
 */
export async function findExport(
  units: Units,
  tokenSecret: string,
  link: { readonly job: string; readonly key: string },
  { ip, requestId }: Omit<Origin, 'channel'>,
): Promise<{ readonly job: Job; readonly caller: Caller }> {
  const [company = '', hash = ''] = link.key.split('-');
  const [companyId, id] = [idFromText(company) ?? 0, idFromText(link.job) ?? 0];
  const server = localCaller({ companyId, userId: 0, timeZone: 'UTC' });
  return await units.read(server, async (work) => {
    const refusal = notFound('link, or none any more');
    const job = (await jobs.byIds(work, [id])).get(id);
    if (job?.kind !== EXPORT_START || endOf(job) <= work.now) throw refusal;
    if (!linkHash(tokenSecret).isOf(hash, hashed(companyId, job))) throw refusal;
    const caller = { ...(await callerOf(work, job)), ip, requestId };
    const { tokenId } = job.origin;
    const token = tokenId === null ? null : (await apiTokens.byIds(work, [tokenId])).get(tokenId);
    const hasToken = token === null || (token?.revokedAt === null && !hasLapsed(token, work.now));
    if (!hasToken || !hasScopes(caller, job)) throw refusal;
    return { job, caller };
  });
}

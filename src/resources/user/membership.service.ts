import type { SystemReadWork, SystemWriteWork } from '../../database/work.js';
import { taken } from '../../platform/errors.js';
import { recordTokensRemoved } from '../access-token/access-token.service.js';
import { found } from '../shared/records.service.js';
import { deleteMembership, findMembership, insertMembership } from './membership.repository.js';
import type { Membership } from './user.model.js';

export async function getMembership(
  work: SystemReadWork,
  of: Pick<Membership, 'companyId' | 'userId'>,
): Promise<Membership> {
  return found(await findMembership(work, of.companyId, of.userId), 'member of the company');
}

/** Errors: `taken`. */
export async function addMembership(work: SystemWriteWork, membership: Membership): Promise<void> {
  if ((await findMembership(work, membership.companyId, membership.userId)) !== undefined) {
    throw taken('email', 'This user is a member of the company already.');
  }
  await insertMembership(work, membership);
  work.ledger.append({
    action: 'create',
    entityType: 'membership',
    entityId: membership.userId,
    companyId: membership.companyId,
    after: membership,
  });
}

/** Ends a user's access to one company and deletes the tokens for it. */
export async function removeMembership(work: SystemWriteWork, membership: Membership): Promise<void> {
  await recordTokensRemoved(work, membership);
  await deleteMembership(work, membership);
  work.ledger.append({
    action: 'delete',
    entityType: 'membership',
    entityId: membership.userId,
    companyId: membership.companyId,
    before: membership,
    after: null,
  });
}

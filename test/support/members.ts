import type { SystemWriteWork, Units } from '../../src/database/work.js';
import { createNamedToken } from '../../src/domain/people/access-token/access-token.service.js';
import { findCompany } from '../../src/domain/people/company/company.service.js';
import { addCompanyWithUser, addUser } from '../../src/domain/people/user/user.service.js';
import type { Caller, Role, Scope } from '../../src/platform/requests.js';

export const SYSTEM = { channel: 'api', ip: null, requestId: null } as const;

export interface NewMember {
  readonly email: string;
  readonly role?: Role;
  readonly scopes?: readonly Scope[];
  readonly timeZone?: string;
}

/** Adds a member with a token to a company, which is created unless it exists, and then given to `onNewCompany`. */
export async function addMember(
  units: Pick<Units, 'systemWrite'>,
  companyName: string,
  { email, role = 'admin', scopes = ['read', 'write', 'admin', 'ingest'], timeZone = 'UTC' }: NewMember,
  onNewCompany?: (work: SystemWriteWork, companyId: number) => Promise<void>,
): Promise<{ readonly caller: Caller; readonly token: string }> {
  return await units.systemWrite(SYSTEM, async (work) => {
    const known = await findCompany(work, companyName);
    const person = { email, name: `${role} of ${companyName}`, role, timeZone };
    const { company, user } =
      known === undefined
        ? await addCompanyWithUser(work, companyName, person, 'no password')
        : { company: known, user: await addUser(work, known, person, 'no password') };
    if (known === undefined) await onNewCompany?.(work, company.id);
    const ids = { companyId: company.id, userId: user.id };
    const { token, secret } = await createNamedToken(work, ids, { name: 'test', scopes });
    return { token: secret, caller: { ...ids, tokenId: token.id, role, scopes, timeZone, ...SYSTEM } };
  });
}

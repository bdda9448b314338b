import type { SystemWriteWork } from '../../database/work.js';
import { parse } from '../../platform/validate.js';
import { hashToken, NamedTokenCreate, randomToken, type AccessToken } from './access-token.model.js';
import { insertToken } from './access-token.repository.js';

/** A new token for a member of a company; its text is nowhere kept, so this answer is the only place to read it. */
export async function createNamedToken(
  work: SystemWriteWork,
  member: { readonly companyId: number; readonly userId: number },
  input: unknown,
): Promise<{ token: AccessToken; secret: string }> {
  const { name, scopes, expiresAt = null } = parse(NamedTokenCreate, input);
  const secret = randomToken();
  const token = await insertToken(work, {
    ...member,
    kind: 'named',
    name,
    scopes,
    expiresAt,
    hash: hashToken(secret),
    nonce: null,
    lastFour: secret.slice(-4),
  });
  work.ledger.append({
    action: 'create',
    entityType: 'access_token',
    entityId: token.id,
    after: token,
    ...member,
  });
  return { token, secret };
}

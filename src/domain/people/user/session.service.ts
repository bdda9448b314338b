import type { SystemReadWork, SystemWriteWork, WriteWork } from '../../../database/work.js';
import type { Clock } from '../../../platform/clock.js';
import { DomainError, invalidFields, notFound } from '../../../platform/errors.js';
import type { Mailer } from '../../../platform/mail.js';
import {
  type Browser,
  type Caller,
  requireSession,
  ORDINARY_SCOPES,
  type Origin,
} from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import { hashToken, randomToken } from '../access-token/access-token.model.js';
import { CHANGES_ACCESS, sparseTouch, TokenLookUp } from '../access-token/authentication.service.js';
import type { Passwords } from './password.service.js';
import { hasEnded, Preferences, type Session, type SignedIn } from './session.model.js';
import * as store from './session.repository.js';
import * as signIn from './sign-in.service.js';
import type { Account, CompanyMembership, Membership } from './user.model.js';
import { selectMemberships } from './user.repository.js';
import { setPassword } from './user.service.js';

export { findPreferences } from './session.repository.js';

/** Parts of the server that signing in, and changes of accounts, need. */
export interface SessionParts extends signIn.AttemptParts {
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly mail: Mailer;
  readonly onError: (error: unknown) => void;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Finds the callers of sessions of people who work in the console (decisions.md#sessions). */
export function createSessions(parts: SessionParts) {
  const { units, clock, onError } = parts;
  const entityTypes = [...CHANGES_ACCESS, 'session'];
  const lookUp = new TokenLookUp(units, clock, entityTypes, (hash) =>
    units.systemRead((work) => store.findSessionAccess(work, hash)),
  );
  const touch = sparseTouch(units, clock, onError, store.touchSession);
  return {
    parts,
    authenticate: async (cookie: string | undefined, origin: Origin, companyId?: number): Promise<Caller> => {
      const isNamed = ({ session }: { readonly session: Session }): boolean =>
        companyId === undefined || session.companyId === companyId;
      const found = await lookUp.find(cookie, isNamed);
      if (found === undefined || found.isRevoked || hasEnded(found.session, clock.now())) {
        throw new DomainError('unauthenticated', 'The session has ended: sign in.');
      }
      if (!isNamed(found)) {
        throw new DomainError(
          'other_company',
          'The session went on in another company. Nothing was changed: load the page again.',
        );
      }
      touch(found.session, origin);
      return callerOf(found.session, found, origin);
    },
  };
}

/** Ends all other sessions of the user. Errors: `invalid`, `too_many_attempts`, `busy`, `forbidden` for tokens. */
export async function changePassword(
  parts: SessionParts,
  caller: Caller,
  { current, new: chosen }: { readonly current: string; readonly new: string },
): Promise<void> {
  const kept = requireSession(caller);
  const hash = await signIn.replacing(
    () => parts.passwords.hash(chosen),
    ({ details }) => invalidFields({ new: Object.values(details.fields ?? {}).flat() }),
  );
  await signIn.attemptByCaller(parts, caller, { password: current, field: 'current' }, (work, account) =>
    setPassword(work, account, hash, account.id, kept),
  );
}

function callerOf(
  { id, companyId, userId }: Session,
  { role, timeZone }: Pick<Membership, 'role' | 'timeZone'>,
  { channel, ip, requestId }: Origin,
): Caller {
  const rights = { role, scopes: ORDINARY_SCOPES, timeZone };
  return { companyId, userId, tokenId: null, sessionId: id, ...rights, channel, ip, requestId };
}

/** The memberships that let a user in, that of the last session or the oldest first. None is removed before the unit ends. */
async function openMemberships(work: SystemWriteWork, userId: number) {
  await work.lockCompanies((await selectMemberships(work, [userId])).map(({ companyId }) => companyId));
  return (await selectMemberships(work, [userId])).filter(({ disabledAt }) => disabledAt === null);
}

/** Signs in to the company of the last session, or of the oldest membership. Undefined if no company lets the user in. */
export async function startSession(
  work: SystemWriteWork,
  account: Account,
  from: Browser,
): Promise<SignedIn | undefined> {
  const [membership] = await openMemberships(work, account.id);
  if (membership === undefined) return undefined;
  const { companyId, userId } = membership;
  const cookie = randomToken();
  const { ip, userAgent } = from;
  const times = { createdAt: work.now, lastUsedAt: work.now };
  const session = await store.insertSession(
    work,
    { companyId, userId, ip, userAgent, ...times },
    hashToken(cookie),
  );
  await store.noteSession(work, membership);
  await signIn.recordSignedIn(work, account, ip);
  await endEarlier(work, from.earlier);
  return { cookie, caller: callerOf(session, membership, signIn.pageRequest(from)) };
}

async function endEarlier(work: SystemWriteWork, earlier: Caller | undefined): Promise<void> {
  if (earlier?.sessionId === undefined) return;
  const { companyId, userId, sessionId: entityId } = earlier;
  if (!(await store.deleteSession(work, userId, entityId))) return;
  work.ledger.append({ action: 'end', entityType: 'session', entityId, companyId, userId });
}

export interface ListedSession extends Session {
  readonly current: boolean;
}

/** Sessions of the caller's user that have not ended, the last used first; none for a token. */
export async function listSessions(
  work: SystemReadWork,
  { userId, sessionId }: Caller,
): Promise<ListedSession[]> {
  if (sessionId === undefined) return [];
  const all = await store.selectSessions(work, userId);
  return all
    .filter((session) => !hasEnded(session, work.now))
    .map((session) => ({ ...session, current: session.id === sessionId }));
}

/** Companies that the caller can work in, that of the last session first; only its own for a token. */
export async function listOwnCompanies(
  work: SystemReadWork,
  { userId, companyId, sessionId }: Caller,
): Promise<readonly CompanyMembership[]> {
  const all = await selectMemberships(work, [userId]);
  const isOpen = (of: CompanyMembership) => sessionId !== undefined || of.companyId === companyId;
  return all.filter((of) => of.disabledAt === null && isOpen(of));
}

/** Ends a session of the caller's user. Errors: `not_found`, `forbidden`. */
export async function endSession(
  work: WriteWork,
  id: number,
  action: 'end' | 'sign_out' = 'end',
): Promise<void> {
  const { caller } = work;
  requireSession(caller);
  if (!(await work.acrossCompanies((above) => store.deleteSession(above, caller.userId, id))))
    throw notFound('session');
  work.ledger.append({ action, entityType: 'session', entityId: id });
}

/** Lets the caller's session go on in another company. Errors: `not_found`, `forbidden`. */
export async function switchCompany(
  work: SystemWriteWork,
  caller: Caller,
  companyId: number,
): Promise<Caller> {
  const id = requireSession(caller);
  const { userId } = caller;
  const membership = (await openMemberships(work, userId)).find((of) => of.companyId === companyId);
  if (membership === undefined) throw notFound('company');
  if (!(await store.moveSession(work, id, companyId))) throw notFound('session');
  await store.noteSession(work, membership);
  work.ledger.append({ action: 'switch_company', entityType: 'session', entityId: id, companyId, userId });
  return { ...caller, companyId, role: membership.role, timeZone: membership.timeZone };
}

/** Replaces the preferences of the caller's user. Errors: `invalid`, `forbidden`. */
export async function setPreferences(work: WriteWork, input: unknown): Promise<void> {
  const { userId } = work.caller;
  requireSession(work.caller);
  const { preferences } = parse(Preferences, input);
  work.requireRoom();
  await work.acrossCompanies((above) => store.savePreferences(above, userId, preferences));
}

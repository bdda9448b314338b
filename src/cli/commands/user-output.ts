import type { Member, Person, User } from '../../domain/people/user/user.model.js';
import { systemClock } from '../../platform/clock.js';
import { table } from '../command-io.js';

/** A user who is both disabled and locked is shown as disabled: a lock ends by itself. */
export function stateOf(user: Pick<User, 'disabledAt' | 'lockedUntil'>): 'active' | 'disabled' | 'locked' {
  if (user.disabledAt !== null) return 'disabled';
  return user.lockedUntil !== null && user.lockedUntil > systemClock.now() ? 'locked' : 'active';
}

export function userFields(user: User) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    state: stateOf(user),
    sign_in_count: user.signInCount,
    last_sign_in_at: user.lastSignInAt,
    last_sign_in_ip: user.lastSignInIp,
    locked_until: user.lockedUntil,
    disabled_at: user.disabledAt,
    time_zone: user.timeZone,
    created_at: user.createdAt,
  };
}

export function personFields({ user, memberships }: Person) {
  return {
    ...userFields(user),
    companies: memberships.map(({ companyId, companyName, role, name, disabledAt }) => ({
      company_id: companyId,
      company_name: companyName,
      role,
      name,
      disabled_at: disabledAt,
    })),
  };
}

/** A user as one company sees them. */
export function memberFields(member: Member) {
  return {
    id: member.id,
    email: member.email,
    name: member.name,
    role: member.role,
    state: stateOf(member),
    sign_in_count: member.signInCount,
    last_sign_in_at: member.lastSignInAt,
    last_sign_in_ip: member.lastSignInIp,
    locked_until: member.lockedUntil,
    disabled_at: member.disabledAt,
    time_zone: member.timeZone,
    created_at: member.createdAt,
  };
}

export function membersTable(members: readonly Member[]): string {
  const rows = members.map((member) => [
    String(member.id),
    member.email,
    member.name,
    member.role,
    stateOf(member),
    member.lastSignInAt?.toISOString().slice(0, 10) ?? '',
  ]);
  return table(['ID', 'E-MAIL', 'NAME', 'ROLE', 'STATE', 'SIGNED IN'], rows);
}

export function peopleTable(people: readonly Person[]): string {
  const rows = people.map(({ user, memberships }) => [
    String(user.id),
    user.email,
    user.name,
    stateOf(user),
    memberships
      .map(({ companyName, role, disabledAt }) =>
        disabledAt === null ? `${companyName} (${role})` : `${companyName} (${role}, disabled)`,
      )
      .join(', '),
  ]);
  return table(['ID', 'E-MAIL', 'NAME', 'STATE', 'COMPANIES'], rows);
}

import { systemClock } from '../../platform/clock.js';
import type { Person, User } from '../../resources/user/user.model.js';
import { table } from '../command-io.js';

/** A user who is both disabled and locked is shown as disabled: a lock ends by itself. */
export function stateOf(user: User): 'active' | 'disabled' | 'locked' {
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
    companies: memberships.map(({ companyId, companyName, role }) => ({
      company_id: companyId,
      company_name: companyName,
      role,
    })),
  };
}

export function peopleTable(people: readonly Person[]): string {
  const rows = people.map(({ user, memberships }) => [
    String(user.id),
    user.email,
    user.name,
    stateOf(user),
    memberships.map(({ companyName, role }) => `${companyName} (${role})`).join(', '),
  ]);
  return table(['ID', 'E-MAIL', 'NAME', 'STATE', 'COMPANIES'], rows);
}

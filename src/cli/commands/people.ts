/** Options and output that the commands of users and members share. */
import { Option } from 'commander';

import type { Member, Person, User } from '../../domain/people/user/user.model.js';
import { ROLES } from '../../platform/caller.js';
import { systemClock } from '../../platform/clock.js';
import { fieldsOf } from '../command-context.js';
import { table } from '../command-io.js';

export const roleOption = (): Option =>
  new Option('--role <role>', 'role in the company').choices(ROLES).makeOptionMandatory();

/** A user who is both disabled and locked is shown as disabled: a lock ends by itself. */
export function stateOf(user: Pick<User, 'disabledAt' | 'lockedUntil'>): 'active' | 'disabled' | 'locked' {
  if (user.disabledAt !== null) return 'disabled';
  return user.lockedUntil !== null && user.lockedUntil > systemClock.now() ? 'locked' : 'active';
}

/** A user, or a member as one company sees them. */
export function userFields(user: User | Member) {
  return { ...fieldsOf(user), state: stateOf(user) };
}

export function personFields({ user, memberships }: Person) {
  return { ...userFields(user), companies: memberships.map(fieldsOf) };
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

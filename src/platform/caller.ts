import { DomainError } from './errors.js';

export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const SCOPES = ['read', 'write', 'admin', 'ingest'] as const;
export type Scope = (typeof SCOPES)[number];

export type Channel = 'api' | 'interface';

/** Who asks, for which company, and by which means; made by authentication or by the command line only. */
export interface Caller {
  readonly companyId: number;
  readonly userId: number | null;
  readonly tokenId: number | null;
  readonly role: Role;
  readonly scopes: readonly Scope[];
  readonly channel: Channel;
  /** IANA time zone of the user, for the timestamps of apps and versions. */
  readonly timeZone: string;
  readonly ip: string | null;
  readonly requestId: string | null;
}

const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  operator: ['read', 'write', 'ingest'],
  admin: ['read', 'write', 'ingest', 'admin'],
};

/** The effective right is what both the role and the token's scopes give. */
export function mayUse(caller: Pick<Caller, 'role' | 'scopes'>, scope: Scope): boolean {
  return ROLE_SCOPES[caller.role].includes(scope) && caller.scopes.includes(scope);
}

export function demandScope(caller: Caller, scope: Scope): void {
  if (!mayUse(caller, scope)) {
    throw new DomainError(
      'forbidden',
      `This call needs the scope "${scope}": the token or the role of its user does not have it.`,
    );
  }
}

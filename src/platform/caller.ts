import { DomainError } from './errors.js';

export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const SCOPES = ['read', 'write', 'admin', 'ingest', 'terminals'] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes of a token got by signing in, so that no dashboard can invent payments or act as a terminal. */
export const ORDINARY_SCOPES = ['read', 'write', 'admin'] as const satisfies readonly Scope[];

export type Channel = 'api' | 'interface';

/** User, company and channel on whose behalf a unit of work runs. */
export interface Caller {
  readonly companyId: number;
  /** The command line acts for a user too (contract 28). */
  readonly userId: number;
  /** Null if the command line or the token of a device acts. */
  readonly tokenId: number | null;
  readonly role: Role;
  readonly scopes: readonly Scope[];
  readonly channel: Channel;
  /** IANA time zone of the user, for example `America/Sao_Paulo`; `/v1` shows times of apps and versions in it. */
  readonly timeZone: string;
  readonly ip: string | null;
  readonly requestId: string | null;
}

export interface Origin {
  readonly channel: Channel;
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** Origin of changes that no request asks for: the command line and the demo (contract 29). */
export const LOCAL_ORIGIN = { channel: 'api', ip: null, requestId: null } as const satisfies Origin;

/** A caller with every scope that acts without a request. */
export function localCaller(member: Pick<Caller, 'companyId' | 'userId' | 'timeZone'>): Caller {
  return { ...LOCAL_ORIGIN, ...member, tokenId: null, role: 'admin', scopes: SCOPES };
}

const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  operator: ['read', 'write', 'ingest', 'terminals'],
  admin: ['read', 'write', 'ingest', 'admin', 'terminals'],
};

/** Whether both the user's role and the token include the scope. */
export function mayUse(caller: Pick<Caller, 'role' | 'scopes'>, scope: Scope): boolean {
  return ROLE_SCOPES[caller.role].includes(scope) && caller.scopes.includes(scope);
}

/** Errors: `forbidden`. */
export function demandScope(caller: Caller, scope: Scope): void {
  if (!mayUse(caller, scope)) {
    throw new DomainError(
      'forbidden',
      `This request needs the scope "${scope}", which the token or the role of its user does not include.`,
    );
  }
}

/** Fields that results may depend on and still be shared by callers with the same rights. */
const SHARED: ReadonlySet<string | symbol> = new Set<keyof Caller>([
  'companyId',
  'role',
  'scopes',
  'channel',
]);

/** A caller for shared results. `onPersonal` is called when a field that they must not depend on is read. */
export function callerWithRights(caller: Caller, onPersonal: () => void): Caller {
  const get = (target: Caller, name: string | symbol): unknown => {
    if (!SHARED.has(name)) onPersonal();
    return Reflect.get(target, name);
  };
  return new Proxy(caller, { get });
}

/** Text that is equal for callers of one company exactly if they have the same rights. */
export const rightsKey = ({ role, scopes, channel }: Caller): string => `${role} ${channel} ${scopes.join()}`;

export interface Authenticator {
  /** The caller of an access token. Errors: `unauthenticated`, with one message for every cause. */
  authenticate(token: string | undefined, origin: Origin): Promise<Caller>;
}

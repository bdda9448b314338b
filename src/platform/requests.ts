import { DomainError, requireAtMost } from './errors.js';

export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const SCOPES = ['read', 'write', 'admin', 'ingest', 'terminals'] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes of a token got by signing in, so that no dashboard can invent payments or act as a terminal. */
export const ORDINARY_SCOPES = ['read', 'write', 'admin'] as const satisfies readonly Scope[];

export type Channel = 'api' | 'interface';

/** Job of the ledger's entries of payments that requests record: there are many, and few ask for them. */
export const OF_PAYMENTS = -1;

/** User, company and channel on whose behalf a unit of work runs. */
export interface Caller {
  readonly companyId: number;
  /** The command line acts for a user too (contract 28). */
  readonly userId: number;
  /** Null if the command line, a session or the token of a device acts. */
  readonly tokenId: number | null;
  /** Set if a session of the console acts. */
  readonly sessionId?: number;
  /** Set if a job acts. */
  readonly jobId?: number;
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

/** A client without credentials, who may sign in and do nothing else. */
export function anonymousCaller({ ip, requestId }: Omit<Origin, 'channel'>): Caller {
  const nothing = {
    companyId: 0,
    userId: 0,
    tokenId: null,
    role: 'viewer',
    scopes: [],
    timeZone: 'UTC',
  } as const;
  return { ...nothing, channel: 'interface', ip, requestId };
}

const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  operator: ['read', 'write', 'ingest', 'terminals'],
  admin: ['read', 'write', 'ingest', 'admin', 'terminals'],
};

/** True if both the user's role and the token include the scope. */
export function mayUse(caller: Pick<Caller, 'role' | 'scopes'>, scope: Scope): boolean {
  return ROLE_SCOPES[caller.role].includes(scope) && caller.scopes.includes(scope);
}

/** Errors: `forbidden`. */
export function requireScope(caller: Caller, scope: Scope): void {
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
  /**
   * The caller of an access token, or of a session. Errors: `unauthenticated`, with one message for every cause;
   * `other_company` if a session has another company than its page names.
   */
  authenticate(token: string | undefined, origin: Origin, companyId?: number): Promise<Caller>;
}

/** Effect of an invalid row on the rest of its batch: nothing is written, or only the invalid rows are skipped. */
export type ErrorPolicy = 'REJECT_EVERYTHING' | 'REJECT_FAILED_ROWS';

/** Result of one row of a batch: the record, or the error that the row alone would throw. */
export interface BatchRow<R> {
  /** Null if the row was not applied, because of an error in this or another row. */
  readonly record: R | null;
  readonly problem: DomainError | null;
}

export const MAX_ROWS = 1_000;

/** Refuses a batch of more than 1,000 rows; `field` is the field that holds them. Errors: `invalid`. */
export function refuseTooManyRows(field: string, rows: readonly unknown[]): void {
  requireAtMost(field, rows.length, MAX_ROWS);
}

/** A page of a list. `page` counts from 1; `perPage` is from 1 to `MAX_PER_PAGE`. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

export interface Page<T> {
  readonly records: readonly T[];
  /** Number of records in the whole list. */
  readonly total: number;
  readonly request: PageRequest;
}

export const DEFAULT_PER_PAGE = 30;
export const MAX_PER_PAGE = 100;

export function offsetOf(request: PageRequest): number {
  return Math.min((request.page - 1) * request.perPage, Number.MAX_SAFE_INTEGER);
}

/** Identifies one request that a client may repeat. */
export interface IdempotencyKey {
  /** The client's Idempotency-Key: 1 to 255 printable ASCII characters without spaces. */
  readonly key: string;
  /** The operation, for example `POST /v1/groups`. Keys of different users or operations never collide. */
  readonly call: string;
  /** SHA-256 of the request's content. */
  readonly fingerprint: string;
}

/** The response of the first request with a key. */
export interface StoredResponse {
  readonly status: number;
  readonly answer: string;
  /** Content whose bytes the response shows; it must not be deleted before the response. Null if there is none. */
  readonly contentId: number | null;
}

export const isIdempotencyKey = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text);

/** A browser that shows a page of this server. */
export interface Browser {
  readonly ip: string;
  readonly requestId: string;
  readonly userAgent: string | null;
  /** Origin of the page, for example `https://gateway.example`. */
  readonly origin: string;
  /** True if it runs on the machine of the server. */
  readonly isLocal: boolean;
  /** The caller until it signs in; its session ends then. */
  readonly earlier?: Caller;
}

/** Errors: `forbidden` for callers with a token. */
export function requireSession(caller: Caller): number {
  if (caller.sessionId !== undefined) return caller.sessionId;
  throw new DomainError('forbidden', 'Only a session of the console can do this: sign in with a browser.');
}

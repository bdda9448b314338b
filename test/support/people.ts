import { expect } from 'vitest';

import { getCompanyByName } from '../../src/domain/people/company/company.service.js';
import { createPasswords } from '../../src/domain/people/user/password.service.js';
import type { User } from '../../src/domain/people/user/user.model.js';
import { addUser } from '../../src/domain/people/user/user.service.js';
import type { Role } from '../../src/platform/requests.js';
import { answered } from './dashboard.js';
import { ledgerOf } from './fleet.js';
import {
  COMPANIES,
  SYSTEM,
  type Member,
  type Reply,
  type RequestOptions,
  type TestServer,
} from './server.js';

export const PASSWORD = 'correct horse battery staple';
export const WRONG = 'not the right password';

/** Cheap hashes: tests sign in often. */
const passwords = createPasswords({ memoryCost: 64, timeCost: 1, parallelism: 1 });
let people = 0;

/** Adds a user who can sign in with `password`, with a role in each of the companies. */
export async function addPerson(
  server: TestServer,
  roles: Partial<Readonly<Record<keyof typeof COMPANIES, Role>>>,
  { email = `person${++people}@people.example`, password = PASSWORD } = {},
) {
  const hash = await passwords.hash(password);
  const user = await server.app.units.systemWrite(SYSTEM, async (work) => {
    let added: User | undefined;
    for (const [company, role] of Object.entries(roles) as [keyof typeof COMPANIES, Role][]) {
      const { id } = await getCompanyByName(work, COMPANIES[company]);
      added = await addUser(work, { id }, { email, name: 'Ana Souza', role }, hash);
    }
    return added;
  });
  if (user === undefined) throw new Error('Give at least one company.');
  return { user, email };
}

/** The e-mail address of a member. */
export async function emailOf(member: Pick<Member, 'graphql'>): Promise<string> {
  interface Answer {
    readonly viewer: { readonly user: { readonly email: string } };
  }
  return (await answered<Answer>(member, '{ viewer { user { email } } }')).viewer.user.email;
}

/** Requests the tokens of a user. */
export async function signIn(
  server: TestServer,
  credentials: Readonly<Record<string, unknown>> | string,
  options: RequestOptions = {},
): Promise<Reply> {
  return await server.anonymous.post('users/token', credentials, options);
}

export interface TokenEntry {
  readonly company_name: string;
  readonly company_id: number;
  readonly api_token: string;
}

export function tokensIn(reply: Reply): TokenEntry[] {
  return JSON.parse(reply.text) as TokenEntry[];
}

let addresses = 0;

/** Header of a trusted proxy with a client address that no other request has. */
export function fromElsewhere(): { headers: { 'x-forwarded-for': string } } {
  addresses += 1;
  return { headers: { 'x-forwarded-for': `203.0.${addresses >> 8}.${addresses & 255}` } };
}

/** Tries wrong passwords, each of which must be refused. */
export async function failSignIns(
  server: TestServer,
  email: string,
  times: number,
  from: RequestOptions = fromElsewhere(),
): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    expect((await signIn(server, { email, password: WRONG }, from)).status).toBe(401);
  }
}

/** The recorded events of signing in of a user in the company Acme. */
export const signInEvents = async (server: TestServer, userId: number): Promise<string[]> =>
  (await ledgerOf(server, server.acme, 'sign_in', userId)).map(({ action }) => action);

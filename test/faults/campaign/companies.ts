import Sqlite from 'better-sqlite3';
import { createHash } from 'node:crypto';

import { openDatabase } from '../../../src/database/sqlite/open.js';
import { createUnits } from '../../../src/database/units.js';
import type { Units, WriteWork } from '../../../src/database/work.js';
import { createNamedToken } from '../../../src/domain/people/access-token/access-token.service.js';
import { addCompanyWithUser, addUser } from '../../../src/domain/people/user/user.service.js';
import { ROLES, SCOPES, type Caller, type Role, type Scope } from '../../../src/platform/caller.js';
import { systemClock } from '../../../src/platform/clock.js';
import { fill, type Known } from './records.js';

/** Who sends a request: a member of a company with a token, or nobody. */
export interface Sender {
  /** For example `acme operator read,write`. */
  readonly label: string;
  /** Index of the company; null for requests without a token of either company. */
  readonly company: 0 | 1 | null;
  readonly token: string | null;
}

interface Company {
  readonly id: number;
  readonly name: string;
  /** First administrator of the company. */
  readonly caller: Caller;
}

/** Scopes of the tokens of each role, besides one with all of them. */
const NARROW: Readonly<Record<Role, readonly Scope[]>> = {
  admin: ['admin'],
  operator: ['ingest'],
  viewer: ['read'],
};
const SYSTEM = { channel: 'api', ip: null, requestId: null } as const;
const NAMES = ['Acme Campaign', 'Beta Campaign'] as const;
/** Each text of a record starts with that of its company. */
export const MARKERS = ['zqacme-', 'zqbeta-'] as const;

/** Two companies with records of every kind; each text of a record has the marker of its company. */
export class Companies {
  #senders: Sender[] = [];
  #known: readonly Known[] = [];
  #added = 0;
  #times = 0;

  private constructor(
    readonly file: string,
    readonly all: readonly [Company, Company],
  ) {}

  /** Makes the database. */
  static async create(file: string): Promise<Companies> {
    const database = await openDatabase(file);
    const units = createUnits(database, systemClock);
    try {
      const made: Company[] = [];
      for (const name of NAMES) {
        const caller = await addCompany(units, name);
        made.push({ id: caller.companyId, name, caller });
      }
      return new Companies(file, made as [Company, Company]);
    } finally {
      await database.close();
    }
  }

  get senders(): readonly Sender[] {
    return this.#senders;
  }

  /** Ids and names of the newest records of a company. Errors: there are no records yet. */
  known(company: 0 | 1): Known {
    const known = this.#known[company];
    if (known === undefined) throw new Error('There are no records yet');
    return known;
  }

  /**
   * Adds members with tokens, and records, to both companies: the former ones may have been removed or disabled by
   * requests of their company.
   */
  async renew(): Promise<void> {
    const database = await openDatabase(this.file);
    const units = createUnits(database, systemClock);
    const senders: Sender[] = [
      { label: 'nobody', company: null, token: null },
      { label: 'a wrong token', company: null, token: '0123456789abcdef0123456789abcdef01234567' },
    ];
    try {
      const known: Known[] = [];
      for (const { caller } of this.all) {
        const marker = MARKERS[known.length] ?? '';
        known.push(await units.write(caller, (work: WriteWork) => fill(work, marker, this.#times)));
      }
      this.#known = known;
      this.#times += 1;
      for (const [index, { id, name }] of this.all.entries()) {
        for (const role of ROLES) {
          for (const scopes of [SCOPES, NARROW[role]]) {
            const token = await this.#addMember(units, { id, name }, role, scopes);
            const label = `${index === 0 ? 'acme' : 'beta'} ${role} ${scopes.join()}`;
            senders.push({ label, company: index as 0 | 1, token });
          }
        }
      }
    } finally {
      await database.close();
    }
    this.#senders = senders;
  }

  async #addMember(
    units: Units,
    company: Pick<Company, 'id' | 'name'>,
    role: Role,
    scopes: readonly Scope[],
  ): Promise<string> {
    const email = `${role}${++this.#added}@campaign${company.id}.example`;
    const person = { email, name: `${role} ${this.#added}`, role, timeZone: 'America/Sao_Paulo' };
    return await units.systemWrite(SYSTEM, async (work) => {
      const user = await addUser(work, company, person, 'no password');
      const ids = { companyId: company.id, userId: user.id };
      return (await createNamedToken(work, ids, { name: 'campaign', scopes })).secret;
    });
  }

  /** A hash of all rows of a company, except the times at which its tokens were used. */
  digest(company: 0 | 1): string {
    const database = new Sqlite(this.file, { readonly: true });
    const hash = createHash('sha256');
    const tables = database
      .prepare(
        `select m.name from sqlite_schema m where m.type = 'table' and exists
          (select 1 from pragma_table_info(m.name) where name = 'company_id') order by 1`,
      )
      .pluck()
      .all() as string[];
    for (const table of tables) {
      const columns = database.pragma(`table_info(${table})`) as { name: string }[];
      const names = columns.map(({ name }) => name).filter((name) => name !== 'last_used_at');
      const query = `select ${names.map((name) => `"${name}"`).join()} from ${table} where company_id = ? order by 1, 2, 3`;
      for (const row of database.prepare(query).raw().iterate(this.all[company].id)) {
        hash.update(JSON.stringify([table, row]));
      }
    }
    database.close();
    return hash.digest('hex');
  }
}

async function addCompany(units: Units, name: string): Promise<Caller> {
  return await units.systemWrite(SYSTEM, async (work) => {
    const email = `first@${name.split(' ')[0]?.toLowerCase() ?? ''}.example`;
    const person = { email, name: `Administrator of ${name}`, role: 'admin' as const, timeZone: 'UTC' };
    const { company, user } = await addCompanyWithUser(work, name, person, 'no password');
    const ids = { companyId: company.id, userId: user.id };
    const { token } = await createNamedToken(work, ids, { name: 'first', scopes: SCOPES });
    return { ...ids, tokenId: token.id, role: 'admin', scopes: SCOPES, timeZone: 'UTC', ...SYSTEM };
  });
}

import Sqlite from 'better-sqlite3';
import { createHash } from 'node:crypto';

import { openDatabase } from '../../../src/database/sqlite/open.js';
import { createUnits } from '../../../src/database/units.js';
import { systemClock } from '../../../src/platform/clock.js';
import { ROLES, SCOPES, type Caller, type Role, type Scope } from '../../../src/platform/requests.js';
import { addMember } from '../../support/members.js';
import { fill, type Known } from './records.js';

/** Sender of a request: a member of a company with a token, or null without one. */
export interface Sender {
  /** For example `acme operator read,write`. */
  readonly label: string;
  /** Index of the company; null for requests without a token of either company. */
  readonly company: 0 | 1 | null;
  readonly token: string | null;
}

/** Scopes of the tokens of each role, besides one with all of them. */
const NARROW: Readonly<Record<Role, readonly Scope[]>> = {
  admin: ['admin'],
  operator: ['ingest'],
  viewer: ['read'],
};
const NAMES = ['Acme Campaign', 'Beta Campaign'];
const LABELS = ['acme', 'beta'];
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
    /** The first administrators. */
    private readonly callers: readonly [Caller, Caller],
  ) {}

  /** Makes the database. */
  static async create(file: string): Promise<Companies> {
    const database = await openDatabase(file);
    const units = createUnits(database, systemClock);
    try {
      const callers: Caller[] = [];
      for (const [index, name] of NAMES.entries()) {
        const email = `first@${LABELS[index] ?? ''}.example`;
        callers.push((await addMember(units, name, { email, scopes: SCOPES })).caller);
      }
      return new Companies(file, callers as [Caller, Caller]);
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
      for (const caller of this.callers) {
        const marker = MARKERS[known.length] ?? '';
        known.push(await units.write(caller, (work) => fill(work, marker, this.#times)));
      }
      this.#known = known;
      this.#times += 1;
      for (const company of [0, 1] as const) {
        for (const role of ROLES) {
          for (const scopes of [SCOPES, NARROW[role]]) {
            const label = `${LABELS[company] ?? ''} ${role} ${scopes.join()}`;
            const email = `${role}${++this.#added}@campaign${company}.example`;
            const person = { email, role, scopes, timeZone: 'America/Sao_Paulo' };
            const { token } = await addMember(units, NAMES[company] ?? '', person);
            senders.push({ label, company, token });
          }
        }
      }
    } finally {
      await database.close();
    }
    this.#senders = senders;
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
      for (const row of database.prepare(query).raw().iterate(this.callers[company].companyId)) {
        hash.update(JSON.stringify([table, row]));
      }
    }
    database.close();
    return hash.digest('hex');
  }
}

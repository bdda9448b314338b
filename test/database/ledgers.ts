import { selectStates, type Link } from '../../src/database/ledger-chain.js';
import { verifyChain, type ChainReport } from '../../src/database/ledger-verify.js';
import type { Units } from '../../src/database/work.js';
import type { KeyedHash } from '../../src/platform/hashes.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { insertRows } from '../support/databases/rows.js';

export const ACME = 71;
export const BETA = 72;

/** A database with two companies, whose ledgers are empty. */
export async function databaseOfLedgers(): Promise<TestDatabase> {
  const opened = await testDatabase();
  const times = { created_at: new Date(0), updated_at: new Date(0) };
  await insertRows(opened.place, 'companies', [
    { id: ACME, name: 'Acme', ...times },
    { id: BETA, name: 'Beta', ...times },
  ]);
  return opened;
}

export interface Verifying {
  readonly companyId?: number;
  readonly from?: number;
  readonly isOn?: boolean;
  readonly expected?: readonly Link[];
  readonly hash?: KeyedHash;
}

/** Returns a function that verifies the chain of a company, that of Acme unless another one is named. */
export const verifierOf =
  (units: () => Units, key: KeyedHash) =>
  async (options: Verifying = {}): Promise<ChainReport> => {
    const { companyId = ACME, from = 1, isOn = true, expected = [], hash = key } = options;
    const state = (await units().systemRead(selectStates)).find((each) => each.companyId === companyId);
    if (state === undefined) throw new Error('There is no such company.');
    return await verifyChain(units(), hash, state, { from, isOn, expected, onEntry: () => undefined });
  };

import { createUnits } from '../../src/database/units.js';
import type { WriteWork } from '../../src/database/work.js';
import { ensureDerivedTokens } from '../../src/domain/people/access-token/access-token.service.js';
import { createPasswords } from '../../src/domain/people/user/password.service.js';
import { addCompanyWithUser } from '../../src/domain/people/user/user.service.js';
import { systemClock } from '../../src/platform/clock.js';
import { loadTokenSecret } from '../../src/platform/config/token-secret.js';
import { SCOPES } from '../../src/platform/requests.js';
import { ownSecret, testConfig } from './config.js';
import type { TestPlace } from './databases/place.js';
import { addMember, SYSTEM } from './members.js';

/** Fills an empty database with one company, an admin, the records that `fill` creates, and a token of the admin. */
export async function prepareDatabase(
  place: TestPlace,
  fill: (work: WriteWork) => Promise<void> = () => Promise.resolve(),
) {
  const database = await place.open();
  const units = createUnits(database, systemClock);
  try {
    const admin = { email: 'admin@acme.example', scopes: SCOPES };
    const { caller, token } = await addMember(units, 'Acme Pagamentos', admin);
    await units.write(caller, fill);
    return { token, companyId: caller.companyId };
  } finally {
    await database.close();
  }
}

/** Hashes by password: making one is what takes longest in most tests of commands. */
const hashes = new Map<string, Promise<string>>();

function hashOf(password: string): Promise<string> {
  const hash = hashes.get(password) ?? createPasswords().hash(password);
  hashes.set(password, hash);
  return hash;
}

/** Does in an empty database what `user add` does; resolves to the user's API token. */
export async function prepareDatabaseWithUser(place: TestPlace, password: string): Promise<string> {
  const database = await place.open();
  try {
    const secret = loadTokenSecret(testConfig(place.url, { tokenSecret: ownSecret(place.url) }));
    const hash = await hashOf(password);
    return await createUnits(database, systemClock).systemWrite(SYSTEM, async (work) => {
      const input = { email: 'ana@acme.example', name: 'Ana Souza', role: 'admin' };
      const { company, user } = await addCompanyWithUser(work, 'Acme', input, hash);
      const tokens = await ensureDerivedTokens(work, secret, { userId: user.id, companyIds: [company.id] });
      return tokens.get(company.id) ?? '';
    });
  } finally {
    await database.close();
  }
}

import { randomInt } from 'node:crypto';

/** GraphQL's Int has 32 bits with a sign. */
const MAX_ID = 2 ** 31;

/**
 * A random id from 1 to 2^31-1, which does not reveal the number of records. `isTaken` reports ids in use.
 * The caller holds the write lock.
 */
export async function randomId(isTaken: (id: number) => Promise<boolean>): Promise<number> {
  for (;;) {
    const id = randomInt(1, MAX_ID);
    if (!(await isTaken(id))) return id;
  }
}

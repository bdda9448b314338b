import { randomInt } from 'node:crypto';

/** GraphQL's Int has 32 bits with a sign. */
const MAX_ID = 2 ** 31;

/**
 * An id that discloses nothing of how many records there are: a random number from 1 to 2^31-1 that `isTaken` does not
 * report. The caller holds the write lock.
 */
export async function randomId(isTaken: (id: number) => Promise<boolean>): Promise<number> {
  for (;;) {
    const id = randomInt(1, MAX_ID);
    if (!(await isTaken(id))) return id;
  }
}

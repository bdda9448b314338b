import { audited, insertMany } from '../../support/databases/rows.js';
import { fleet } from '../../support/fleet.js';
import type { TestServer } from '../../support/server.js';

export const [GROUPS, NUMBERS] = [30, 100];

/** Adds groups with logical numbers to the company Acme, 3,000 in all. */
export async function addNumbers(server: TestServer): Promise<void> {
  const { client, caller } = server.acme;
  const { companyId } = caller;
  for (let n = 0; n < GROUPS; n += 1) {
    const group = await fleet.group(client, `g${n}`);
    await insertMany(server.place, ['logical_numbers', companyId, NUMBERS], (i) => ({
      ...{ number: `${n}-${i}`, group_id: group },
      ...audited(caller.userId),
    }));
  }
}

const NAMES = ['id', 'databaseId', 'number', 'createdAt', 'updatedAt', 'revision'];
/** Fields of each logical number: 36, so that 3,000 records take many turns on a fast machine as well. */
const FIELDS = [
  NAMES,
  ...['a', 'b', 'c', 'd', 'e'].map((copy) => NAMES.map((name) => `${name}${copy}: ${name}`)),
].flat();

export const listOf = (groups: number): string =>
  `{ groups(first: ${groups}) { nodes { name logicalNumbers(first: ${NUMBERS}) { nodes { ${FIELDS.join(' ')} } } } } }`;

export const numbersIn = (text: string): number => text.match(/"databaseId":/g)?.length ?? 0;

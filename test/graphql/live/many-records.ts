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

/** Fields with values of each logical number. */
const FIELDS = ['id', 'databaseId', 'number', 'createdAt', 'updatedAt', 'revision'];

export const listOf = (groups: number): string =>
  `{ groups(first: ${groups}) { nodes { name logicalNumbers(first: ${NUMBERS}) { nodes { ${FIELDS.join(' ')} } } } } }`;

export const numbersIn = (text: string): number => text.match(/"databaseId":/g)?.length ?? 0;

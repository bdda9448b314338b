/** Several nodes on one PostgreSQL database, in this process: without HTTP, a `Database` and its units each. */
import { afterAll, beforeAll, inject } from 'vitest';

import type { Database } from '../../../src/database/database.js';
import { openDatabase } from '../../../src/database/open.js';
import { createUnits } from '../../../src/database/units.js';
import type { Units } from '../../../src/database/work.js';
import { systemClock } from '../../../src/platform/clock.js';
import { addMember } from '../members.js';
import { adminUrlOf, createDatabase, dropDatabase } from './boot.js';
import { connectTo, type Run } from './schema.js';

export interface Node {
  readonly database: Database;
  readonly units: Units;
}

/** To be called at the top of a test file, which gets a database of its own. */
export function openNodes(count: number) {
  const opened: Node[] = [];
  const closing: (() => Promise<void>)[] = [];
  const state: { url: string; admin?: Run } = { url: '' };
  const open = async (): Promise<Node> => {
    const database = await openDatabase({ server: state.url });
    const node = { database, units: createUnits(database, systemClock) };
    opened.push(node);
    return node;
  };
  beforeAll(async () => {
    const server = inject('postgres');
    state.url = await createDatabase(server);
    closing.unshift(() => dropDatabase(server, state.url));
    const { run, close } = await connectTo(adminUrlOf(server, state.url));
    closing.unshift(close);
    state.admin = run;
    await Promise.all(Array.from({ length: count }, () => open()));
  });
  afterAll(async () => {
    for (const { database } of opened) await database.close();
    for (const close of closing) await close();
  });
  return {
    get url() {
      return state.url;
    },
    /** Statements of a user who may do everything. */
    admin: ((statement, values) => present(state.admin)(statement, values)) as Run,
    nodes: opened,
    /** The node with this index. */
    node: (index: number) => present(opened[index]),
    /** One more node, closed with the others. */
    open,
  };
}

/** Returns the value; throws if it is null or undefined. */
export function present<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error('Nothing is there.');
  return value;
}

let companies = 0;

/** A new company: its only member, with the text of a token. */
export async function addCompany({ units }: Node): ReturnType<typeof addMember> {
  companies += 1;
  return await addMember(units, `company ${companies}`, { email: `admin@${companies}.example` });
}

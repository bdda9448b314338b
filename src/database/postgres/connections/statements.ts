/** Statements of PostgreSQL: handles that compile them, names under which connections prepare them, and COPY. */
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type RawNode } from 'kysely';
import type { Client, Connection, Submittable } from 'pg';

import { handlesOf } from '../../statements.js';
import { postgresNode } from '../../storage.js';

class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    super.visitRaw(postgresNode(node));
  }
}

export const handleOn = handlesOf({
  createQueryCompiler: () => new Compiler(),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
});

/** Maximum number of named statements, which PostgreSQL plans once per connection instead of each time. */
const MAX_NAMES = 1_000;
/** Maximum length of a text with a name. Longer ones are batches of varying length: rarely repeated. */
const MAX_TEXT_LENGTH = 8_192;

/**
 * Names of statements by their text. A text gets a name at its second use, if it is one of the first
 * thousand, and if it names its columns: a prepared `select *` fails after its table gets a column.
 */
export class StatementNames {
  /** The name of a text; before its second use, whether it may get one. */
  readonly #names = new Map<string, string | boolean>();
  #count = 0;

  of(text: string): string | null {
    if (text.length > MAX_TEXT_LENGTH) return null;
    const known = this.#names.get(text);
    if (typeof known === 'string') return known;
    if (known === undefined && this.#names.size < MAX_NAMES) this.#names.set(text, namesColumns(text));
    if (known !== true) return null;
    this.#count += 1;
    const name = `s${this.#count}`;
    this.#names.set(text, name);
    return name;
  }

  /** To be called when a statement would return other columns than before: all get other names. */
  forget(): void {
    this.#names.clear();
  }
}

/** True if the columns of the result are named. A `*` in parentheses is of a subquery or of `count(*)`. */
function namesColumns(text: string): boolean {
  let outer = text;
  for (let before = ''; outer !== before;) {
    before = outer;
    outer = outer.replaceAll(/\([^()]*\)/g, '');
  }
  return !outer.includes('*');
}

/** Methods of a `pg` connection that its types lack; `pg-copy-streams` uses them too. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Runs `copy … from stdin` with lines of the text format. Errors: those of PostgreSQL and the connection. */
export async function copyIn(client: Client, statement: string, data: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const query = {
      submit: (connection: Connection) => connection.query(statement),
      handleCopyInResponse: (connection: CopyConnection) => {
        connection.sendCopyFromChunk(data);
        connection.endCopyFrom();
      },
      // The connection is ready only after the next message.
      handleCommandComplete: () => undefined,
      handleError: reject,
      handleReadyForQuery: () => resolve(),
    };
    client.query<Submittable>(query);
  });
}

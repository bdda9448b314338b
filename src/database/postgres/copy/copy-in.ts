import type { Client, Connection, Submittable } from 'pg';

/** What `pg` calls on a query that is not its own; `pg-copy-streams` rests on the same. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** One COPY statement whose data is there from the start. */
class CopyIn implements Submittable {
  constructor(
    private readonly text: string,
    private readonly data: Buffer,
    private readonly done: (error: Error | null) => void,
  ) {}

  submit(connection: Connection): void {
    connection.query(this.text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.data);
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {
    // The statement has ended; the connection is ready a message later.
  }

  /** From the server or of the connection; nothing more follows. */
  handleError(error: Error): void {
    this.done(error);
  }

  handleReadyForQuery(): void {
    this.done(null);
  }
}

/** Runs `copy … from stdin` with lines of the text format. Errors: those of PostgreSQL and of the connection. */
export async function copyIn(client: Client, statement: string, data: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    client.query(
      new CopyIn(statement, data, (error) => {
        if (error === null) resolve();
        else reject(error);
      }),
    );
  });
}

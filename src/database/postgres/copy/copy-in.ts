import type { Client, Connection, Submittable } from 'pg';

/** Methods of a `pg` connection that its types lack; `pg-copy-streams` uses them too. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** A COPY statement with all of its data. */
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
    // The connection is ready only after the next message.
  }

  /** Error of the server or of the connection; no message follows. */
  handleError(error: Error): void {
    this.done(error);
  }

  handleReadyForQuery(): void {
    this.done(null);
  }
}

/**
 * Runs `copy … from stdin` with lines of the text format. Errors: those of PostgreSQL and of the connection.
 */
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

import type { Database, Task } from '../database/database.js';
import { atMostEvery, MINUTE } from '../platform/clock.js';

interface MinuteTools {
  readonly isStopped: () => boolean;
  /** Reports at most one error a minute. */
  readonly onError: (error: unknown) => void;
}

interface MinuteParts {
  readonly database: Database;
  readonly onError: (error: unknown) => void;
}

/** Work that is done once a minute, on one node at a time. */
export class MinuteWork {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isStopped = false;
  readonly #isReportDue = atMostEvery(MINUTE);

  constructor(
    private readonly parts: MinuteParts,
    private readonly task: Task,
    private readonly work: (tools: MinuteTools) => Promise<void>,
  ) {}

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.run()
        .catch(this.parts.onError)
        .finally(() => (this.#running = null));
    }, MINUTE).unref();
  }

  /** Does it now, unless another node does. */
  async run(): Promise<void> {
    const { database, onError } = this.parts;
    await database.alone(this.task, () =>
      this.work({
        isStopped: () => this.#isStopped,
        onError: (error) => {
          if (this.#isReportDue()) onError(error);
        },
      }),
    );
  }

  /** Resolves when what is being done has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }
}

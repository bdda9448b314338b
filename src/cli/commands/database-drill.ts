import type { Drill } from '../../database/tools.js';
import { systemClock } from '../../platform/clock.js';
import { CommandError, failureOf } from '../command-error.js';
import { table, type CommandIo, type JsonOption, type Result } from '../command-io.js';

export interface DrillOptions extends JsonOption {
  readonly into?: string;
  readonly intoPasswordFile?: string;
}

const STEPS = { backup: 'Backing up', restore: 'Restoring', check: 'Checking', remove: 'Removing' } as const;
type Step = keyof typeof STEPS;

/** `name` is that of the database. The first step that fails ends the drill, and nothing is removed. */
export async function runDrill(drill: Drill, name: string, io: Pick<CommandIo, 'progress'>): Promise<Result> {
  const seconds: Partial<Record<Step, number>> = {};
  let failure: CommandError | undefined;
  for (const [step, label] of Object.entries(STEPS) as [Step, string][]) {
    const started = systemClock.elapsed();
    try {
      await drill[step](io.progress(label));
    } catch (error) {
      failure = failed(error, step, drill);
      break;
    } finally {
      seconds[step] = Math.round((systemClock.elapsed() - started) / 100) / 10;
    }
  }
  const rows = Object.entries(seconds).map(([step, took]) => [step, took.toFixed(1)]);
  const sum = rows.reduce((total, [, took]) => total + Number(took), 0).toFixed(1);
  const done = `${name} can be restored from a backup: the drill took ${sum} s and has left nothing.`;
  return {
    value: { ok: failure === undefined, seconds, left: failure === undefined ? [] : drill.left },
    lines: [table(['STEP', 'SECONDS'], rows), ...(failure === undefined ? [done] : [])],
    failure,
  };
}

function failed(error: unknown, step: Step, { left }: Drill): CommandError {
  const { exitCode, lines } = failureOf(error);
  const where = `The drill failed at the step ${step}. What it has made is left for you to look at, and to remove: ${left.join(', ')}.`;
  return new CommandError([...lines, where].join('\n'), exitCode);
}

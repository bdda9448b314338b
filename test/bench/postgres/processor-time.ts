import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second for programs, on all common processors. */
const MICROSECONDS_PER_TICK = 10_000;

interface ProcessTimes {
  readonly parent: number;
  /** Processor time of the process, its threads and its ended children, in clock ticks. */
  readonly ticks: number;
}

function timesOf(pid: number): ProcessTimes | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name of the program may contain spaces; it ends with the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), ticks };
}

export function parentOf(pid: number): number {
  const times = timesOf(pid);
  if (times === null) throw new Error(`There is no process ${pid}.`);
  return times.parent;
}

/** Processor time of a process and its children since they were started, in microseconds. */
export function processorTime(root: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  let ticks = 0;
  for (const pid of pids.map(Number)) {
    const times = timesOf(pid);
    if (times !== null && (pid === root || times.parent === root)) ticks += times.ticks;
  }
  return ticks * MICROSECONDS_PER_TICK;
}

/** The server, which tells the longest turn of its event loop in ms of processor time: SIGUSR2 writes it to a file. */
import { writeFileSync } from 'node:fs';

let longest = 0;
let before = process.cpuUsage();

/** The processor time of a turn does not depend on what else the machine does. */
function turn(): void {
  const { user, system } = process.cpuUsage(before);
  longest = Math.max(longest, (user + system) / 1_000);
  before = process.cpuUsage();
  setImmediate(turn);
}

process.on('SIGUSR2', () => {
  writeFileSync(process.env.TURNS_FILE ?? '', longest.toFixed(1));
  longest = 0;
});
turn();
await import('../../src/main.js');

/**
 * The server, which tells the longest turn of its event loop, in ms of its thread's processor time since the last
 * question: each message of its parent is such a question.
 */
const EVERY_MS = 1;

let longest = 0;
let before = process.threadCpuUsage();

/** Unlike the delay of the loop, this does not depend on what else the machine does. */
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  longest = Math.max(longest, (user + system) / 1_000);
  before = process.threadCpuUsage();
}, EVERY_MS).unref();

process.on('message', () => {
  process.send?.(longest);
  longest = 0;
});
process.channel?.unref();
await import('../../src/main.js');

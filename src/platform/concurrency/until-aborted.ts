/** Settles as the promise does, or resolves to `aborted` if the signal is aborted first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  let abort = (): void => undefined;
  const aborted = new Promise<'aborted'>((resolve) => {
    abort = () => resolve('aborted');
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

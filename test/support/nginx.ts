import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

import { sendHttp } from './client.js';
import { itWith } from './installed.js';

const NGINX = 'nginx';
/** A test that is skipped where there is no nginx. */
export const itWithNginx = itWith(NGINX, '-v');

/** Starts nginx with a configuration in the folder, until the test ends; resolves when it responds at the URL. */
export async function startNginx(configuration: string, url: string, folder: string): Promise<void> {
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration);
  const options = ['-e', 'stderr', '-g', 'daemon off;', '-p', folder, '-c', file];
  const nginx = spawn(NGINX, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    if (nginx.exitCode === null) await once(nginx, 'exit');
  });
  let log = '';
  nginx.stderr.on('data', (bytes: Buffer) => (log += bytes.toString()));
  const problem = async (): Promise<string> =>
    await sendHttp(`${url}/readyz`).then(
      () => '',
      () => `nginx: ${log}`,
    );
  await expect.poll(problem).toBe('');
}

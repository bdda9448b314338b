import { expect, it } from 'vitest';

import { HOUR } from '../../../../src/platform/clock.js';
import { nodeId } from '../../../support/dashboard.js';
import { crcOf, softwareOf } from '../../../support/fleet.js';
import { briefly, lookAgain, newRollout } from '../../../support/rollouts.js';
import { useServer } from '../../../support/server.js';
import { reportInstall, softwareOfDevice } from '../../../support/software.js';
import { base64, stockedTerminal } from '../../../support/stocked-terminal.js';

const server = useServer();

it('a rollout keeps what its terminals had when a later one replaces its versions', async () => {
  const { acme } = server;
  const own = await stockedTerminal(acme, 'later');
  const install = async (bytes: string): Promise<void> => {
    const body = {
      name: 'acmepagamentos_later.posxml',
      crc: crcOf(Buffer.from(bytes)),
      result: 'installed',
    };
    expect((await reportInstall(server, own.token, body)).status).toBe(200);
  };
  const release = async (number: string): Promise<string> => {
    const { id } = await softwareOf(acme.client).version(own.versionPath, {
      number,
      bytecode: base64(`bytes of ${number}`),
      group_ids: [own.groupId],
    });
    const rollout = await newRollout(acme, {
      name: number,
      appVersionIds: [nodeId('AppVersion', Number(id))],
      target: { groupId: nodeId('Group', own.groupId) },
      waves: [{ minProvenPercent: 100 }],
    });
    await server.app.steps.idle();
    await install(`bytes of ${number}`);
    await lookAgain(server);
    return rollout;
  };
  await install('bytecode of later');
  const [first, second] = [await release('2.0'), await release('3.0')];
  server.clock.advance(HOUR);
  await lookAgain(server);
  const has = await softwareOfDevice(acme, own.serialNumber);
  expect(has.map(({ appVersion, state }) => `${appVersion.number} ${state}`)).toContain('3.0 INSTALLED');
  expect(await briefly(acme, second)).toEqual(['RUNNING', 'BEGUN 1 installed']);
  expect(await briefly(acme, first)).toEqual(['RUNNING', 'BEGUN 1 installed']);
  await install('bytes of 2.0');
  await lookAgain(server);
  // The terminal went back by itself: it is still to get the version.
  expect(await briefly(acme, second)).toEqual(['RUNNING', 'BEGUN 1 granted']);
});

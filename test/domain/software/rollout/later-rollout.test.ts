import { describe, expect, it } from 'vitest';

import { HOUR } from '../../../../src/platform/clock.js';
import { answered, changed, nodeId } from '../../../support/dashboard.js';
import { crcOf, softwareOf } from '../../../support/fleet.js';
import { briefly, lookAgain, newRollout } from '../../../support/rollouts.js';
import { useServer } from '../../../support/server.js';
import { reportInstall, softwareOfDevice } from '../../../support/software.js';
import { base64, stockedTerminal } from '../../../support/stocked-terminal.js';

const server = useServer();

/** A terminal with version 1.0 of an app; `release` gives it another one by a rollout, which it installs. */
async function releasing(name: string) {
  const { acme } = server;
  const own = await stockedTerminal(acme, name);
  const install = async (bytes: string): Promise<void> => {
    const body = {
      name: `acmepagamentos_${name}.posxml`,
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
  await install(`bytecode of ${name}`);
  return { ...own, install, release };
}

describe('when a later rollout replaces the versions of a rollout', () => {
  it('its terminals keep what they had', async () => {
    const { acme } = server;
    const { serialNumber, install, release } = await releasing('later');
    const [first, second] = [await release('2.0'), await release('3.0')];
    server.clock.advance(HOUR);
    await lookAgain(server);
    const has = await softwareOfDevice(acme, serialNumber);
    expect(has.map(({ appVersion, state }) => `${appVersion.number} ${state}`)).toContain('3.0 INSTALLED');
    expect(await briefly(acme, second)).toEqual(['RUNNING', 'BEGUN 1 installed']);
    expect(await briefly(acme, first)).toEqual(['RUNNING', 'BEGUN 1 installed']);
    await install('bytes of 2.0');
    await lookAgain(server);
    // The terminal went back by itself: it is still to get the version.
    expect(await briefly(acme, second)).toEqual(['RUNNING', 'BEGUN 1 granted']);
  });

  it('its undo leaves the later version alone, and that of the later one brings back the first', async () => {
    const { acme } = server;
    const { logicalNumber, release } = await releasing('undone');
    const [first, second] = [await release('2.0'), await release('3.0')];
    const undo = async (id: string): Promise<readonly string[]> => {
      const mutation = 'mutation ($id: ID!) { rolloutUndo(id: $id) { userErrors { code message } } }';
      expect(await changed(acme, mutation, { id })).toEqual({ userErrors: [] });
      await server.app.steps.idle();
      const query =
        'query ($number: String!) { logicalNumber(number: $number) { appVersions { nodes { number } } } }';
      const found = await answered<{
        logicalNumber: { appVersions: { nodes: readonly { number: string }[] } };
      }>(acme, query, { number: logicalNumber });
      return found.logicalNumber.appVersions.nodes.map(({ number }) => number);
    };
    expect(await undo(first)).toEqual(['3.0']);
    expect(await undo(second)).toEqual(['2.0']);
  });
});

import { describe, expect, it } from 'vitest';

import { commandLine, commandLineWithUser } from '../support/program.js';
import { COMMANDS } from './states.js';

describe('RU-88 a database of another state of the schema', () => {
  it.each([
    ['with another fingerprint', "update applied_migrations set fingerprint = 'of another state'"],
    ['from before there were fingerprints', 'alter table applied_migrations drop column fingerprint'],
  ])('is refused with 78 and one sentence: %s', async (_state, change) => {
    const { cli } = await commandLineWithUser();
    await cli.place.sql(change);
    const users = 'select count(*) as total from users';
    const rows = async () => [
      await cli.place.sql('select * from applied_migrations'),
      await cli.place.sql(users),
    ];
    const before = await rows();
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await cli.run(command);
      expect({ command, code, stdout }).toEqual({ command, code: 78, stdout: '' });
      expect(stderr, command).toMatch(
        /^[^\n]+ was made by another state of terminal-gateway, [^\n]+Nothing was changed\.[^\n]+\n$/,
      );
    }
    expect(await rows()).toEqual(before);
  });

  it('is recognised only when no migration is pending, and a new one is accepted', async () => {
    const cli = await commandLine();
    expect((await cli.run('db migrate')).code).toBe(0);
    expect((await cli.run('db check')).code).toBe(0);
    const [{ fingerprint }] = (await cli.place.sql('select fingerprint from applied_migrations')) as [
      { fingerprint: string },
    ];
    expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });
});
